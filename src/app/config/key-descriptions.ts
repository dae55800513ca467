// One sentence for each key of the config. Editors show it (config/paydrop.schema.json), docs/config.md lists it, and misspelt keys are compared with the list.
import { nearestWord } from '../../base/plain-text.ts';

/** By path; `[]` stands for an item of a list. */
export const KEY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  workspace: 'The folder with inbox, outbox, archive and ledger; `--workspace` wins.',
  ledger:
    'Where the ledger lies. Left out: `ledger.sqlite` in the workspace. `postgres://USER@HOST/DATABASE?schema=NAME`: a database that several machines share. PAYDROP_LEDGER_URL wins.',
  ledgerPasswordFile:
    'A file with the password of that database; or PAYDROP_LEDGER_PASSWORD_FILE. Never in the URL of the config.',
  cluster: 'Several machines on one ledger.',
  'cluster.node': 'The name of this machine among them; null takes its host name.',
  'cluster.giveUpAfter':
    'A machine that is silent for so long is given up for good, and others go on with its work.',
  folders:
    'Folders of the workspace that lie elsewhere, for example where an SFTP account puts and fetches files.',
  'folders.inbox': 'Where files are dropped.',
  'folders.outbox': 'Where answers are written.',
  'folders.archive': 'Where finished files are kept.',
  'folders.refused': 'Where refused files are kept, with the reason.',
  service: 'The payout service. Without `baseUrl` the embedded sandbox is used, and everything says SANDBOX.',
  'service.baseUrl': 'The address of the service, `https://…`.',
  'service.apiKeyFile': 'A file that holds the API key and that only paydrop may read; never the key itself.',
  'service.callbackUrl': 'How the service reaches `webhooks.listen`; each transfer gets an address below it.',
  'service.proxy':
    'The proxy by which the service is reached, as `http://proxy.example.com:3128`. Left out, the variables `HTTPS_PROXY` and `NO_PROXY` count.',
  'service.timeout': 'How long one call may take, connecting included.',
  'service.concurrency':
    'Calls under way at once: "auto" begins with 16 and goes up to 256 as far as the service gains by it, on all machines together; a number is the most. Fewer while the service is in trouble.',
  'service.requestsPerSecond':
    'The most calls in any second, 0.1 or more; null sets no limit. It holds for this process, or for all machines of a shared ledger.',
  sender: 'The default sending party, by field; a row’s own `sender.…` columns win. Put numbers in quotes.',
  sandbox:
    '`true`: play money is meant, although a key, a callback address or limits are set and `service.baseUrl` is not.',
  policy: 'How files are treated; a profile or a folder may say otherwise for its files.',
  'policy.onInvalidRows':
    '`refuse-file`: a file with a wrong row is not paid at all. `skip-rows`: the valid rows are paid.',
  'policy.approval':
    '`none`, `required`, or the total of a day up to which the files of one door (a folder, a command’s user, a signed-in person, a key) need no approval by a second person, such as `5000000 XAF`.',
  'policy.approvalPerDay':
    'The same total over all doors together; null sets none. It counts beside the amounts of `policy.approval`.',
  'policy.twoApproversAbove':
    'A file that may debit more than this, such as `20000000 XAF`, is approved by two different people; null asks one. With `0 XAF` every file is.',
  'policy.verifyAbove':
    'A file with more changed accounts than this is approved only with words that say how they were verified (`approve --verified`); null asks for none.',
  'policy.approvalBy':
    '`name`: an approver’s name, typed or by the folder of the file. `signature`: only an approval that is signed, with a passkey at the page or with the approver’s OpenPGP key. Left out: `signature` where `web.listen` is set, else `name`.',
  'policy.strategy':
    '`row-by-row`, or `reserve-then-confirm`: a file is paid whole or not at all. Every row is reserved before the first is confirmed, so all must fit into the life of the quotations.',
  'policy.duplicateWindow': 'How long the same payment in another file counts as a possible duplicate.',
  'policy.maxDrift':
    'By how much a price may differ, either way, from the one that was shown or first quoted; beyond it the row is held (`price_moved`).',
  'policy.documentsWait': 'How long `watch` waits for the documents that the rows of a file name.',
  'policy.newAccount':
    '`hold`: a known receiver with a new account waits for a person, unless somebody else has verified it at the page. `warn`: the preview says so.',
  approvers:
    'The only people who may approve, and the folders that hold their `<batch>.approve` files; empty: anybody but the submitter.',
  'approvers[].name': 'The name of the approver.',
  'approvers[].folder':
    'The approver’s folder, in the inbox or elsewhere, or an SFTP account; only they may write there.',
  intake: 'When files are taken from the inbox.',
  'intake.settleFor':
    'A file is taken when it has not changed for so long; at once where its marker is newer than it is.',
  'intake.readyMarker': 'A file is taken only when `<name><marker>` is in the same folder, such as `.done`.',
  'intake.scanEvery': 'How often `watch` looks at the whole inbox.',
  'intake.rowsMax': 'The most rows of a file.',
  'intake.bytesMax': 'The largest file.',
  iso20022: 'Payment messages of accounting programs (pain.001).',
  'iso20022.debtors':
    'The accounts that messages may debit. A message that debits another one is refused: it may be meant for a bank. With none listed, messages are taken in the sandbox only.',
  'iso20022.debtors[].account':
    'The account as the messages write it: an IBAN, a RIB, or a name of your own.',
  'iso20022.debtors[].currency':
    'Its currency, for messages that leave it out; a message that says another is refused.',
  'iso20022.debtors[].sender':
    'Who sends what this account pays, as in "sender"; left out: the sending party of the config.',
  'iso20022.debtors[].folder':
    'The folder of the inbox, or the SFTP account, that its messages have to come from; left out: any.',
  'iso20022.statusReports': 'The status messages (pain.002) that answer them.',
  'iso20022.statusReports.detail':
    'Which payments are listed one by one; the others are counted. `rejected` suits every program; `changes` and `all` need one that looks at the status of each.',
  'iso20022.statusReports.version':
    'Which version of pain.002: `auto` answers pain.001.001.03 with `03` and later ones with `10`.',
  'iso20022.statusReports.pause': 'The shortest time between two of them while a message is being paid.',
  'iso20022.statusReports.sandbox': 'Whether those of play money too are brought to SFTP accounts.',
  'iso20022.camt054':
    'Whether a debit advice (camt.054) tells what each closed message debited, and which fees.',
  tracking: 'How payments are followed.',
  'tracking.pollEvery': 'The longest time between two looks at a submitted payment.',
  'tracking.wait': 'How long `run` and `resume` wait for final statuses.',
  'tracking.reversalWindow':
    'How long after its end a payment is looked at again, because it may be reversed.',
  retention: 'What `watch` removes after its time. The ledger keeps everything and recognises every file.',
  'retention.archive':
    'How long batches stay in the archive once nothing can happen to them, such as `400d`; null keeps them. Without them a lost ledger cannot be rebuilt.',
  'retention.outbox': 'How long answers of finished batches stay in the outbox; null keeps them.',
  webhooks: 'Where the service’s notifications arrive.',
  'webhooks.listen': 'Address and port for the proxy that answers at `service.callbackUrl`.',
  'webhooks.otherKeyFile': 'A second API key that may sign notifications while the key is changed.',
  'webhooks.otherKeyUntil': 'The day on which the second key stops counting.',
  web: 'The page, and the interface for programs, served by `watch`; off until `listen` is set.',
  'web.listen': 'Address and port, such as `127.0.0.1:8790`; null serves nobody.',
  'web.publicUrl': 'The address that others know it by, such as `https://pay.example.com`.',
  'web.tls': 'The certificate with which paydrop itself speaks HTTPS.',
  'web.tls.certFile': 'The certificate and those above it, as PEM.',
  'web.tls.keyFile': 'Its key, as PEM.',
  'web.behindProxy': '`true`: a proxy in front holds the certificate, and `web.publicUrl` is its address.',
  'web.oidc':
    'Sign-in through your company’s directory (OpenID Connect); approvals are signed with a passkey all the same.',
  'web.oidc.name': 'What the button of the sign-in says, such as `Contoso`.',
  'web.oidc.issuer': 'The provider’s address, `https`, as its own description names it.',
  'web.oidc.clientId': 'As the provider knows paydrop. Give it the address `…/api/v1/session/oidc/return`.',
  'web.oidc.clientSecretFile': 'A file that holds the client secret; nothing for a public client.',
  'web.oidc.groupsClaim': 'The claim that lists somebody’s groups.',
  'web.oidc.roles':
    'Roles by group, such as `finance: [maker]`. They count from each sign-in; without one nobody comes in.',
  metrics: 'Health and metrics of `watch`.',
  'metrics.listen':
    'Where `watch` answers `/metrics` (Prometheus) and `/healthz`; null switches it off. Expose it only behind a proxy with authentication.',
  limits:
    'The most that may leave the account, fees included. A currency without an amount in a set limit is not paid.',
  'limits.perRow': 'A row above it is held.',
  'limits.perPayeePerDay': 'A row is held when its payee would get more than this in a UTC day.',
  'limits.perFile':
    'A file above it stops before its next payment; `release` with a name and a reason lets it go on.',
  'limits.perDay': 'All files of a UTC day together.',
  'limits.refusalShare': 'A file stops when, after ten rows, a larger share was refused, such as `20%`.',
  'limits.feeShare': 'A row is held when its fee is a larger share of its amount, such as `3%`.',
  'limits.leastRates': 'A row is held when one unit brings less, such as `{ XAF/EUR: 0.0015 }`.',
  profiles: 'The folder of the profiles; `paydrop profile FILE --save` writes them.',
  schedules: 'Folders of the inbox whose files are paid at a time.',
  'schedules[].folder': 'A folder below the inbox.',
  'schedules[].cron': 'Minute, hour, day of the month (L is the last), month, day of the week.',
  'schedules[].timeZone': 'The zone of these times, such as `Africa/Douala`.',
  'schedules[].missed':
    '`pay` at once, or `hold` until a person decides, when a time was missed by more than an hour.',
  'schedules[].standing': 'true: the file stays in the folder and is paid every time.',
  'schedules[].profile': 'The profile that reads its files.',
  'schedules[].policy': 'What of `policy` is different for its files.',
  tenants:
    'Folders with rules of their own. Once a folder is named here or in `schedules`, others are left alone.',
  'tenants[].folder': 'A folder below the inbox.',
  'tenants[].profile': 'The profile that reads its files.',
  'tenants[].policy': 'What of `policy` is different for its files.',
  executionDate: 'Files that name their day, in a column `executionDate` or in their name.',
  'executionDate.timeZone': 'The zone of that day.',
  'executionDate.at': 'When on that day, such as `08:00`.',
  'executionDate.past': 'A day that is past: `pay` at once, or `hold`.',
  'executionDate.inFileName': '`marked`: `payroll@2026-11-28.csv`. `any`: the only date in a name. `never`.',
  sftp: 'Servers that `watch` fetches files from and brings answers to; `paydrop sftp check` tries them.',
  'sftp[].name': 'The account’s name; its files come into `inbox/<name>`.',
  'sftp[].host': 'The server.',
  'sftp[].port': 'Its port.',
  'sftp[].hostKey':
    'The fingerprint of its key, as `ssh-keygen -lf` shows it and the server’s owner tells it; a list while it is changed. Any other key is refused.',
  'sftp[].user': 'The user to log in as.',
  'sftp[].privateKeyFile': 'The key to log in with.',
  'sftp[].passphraseFile': 'The passphrase of that key.',
  'sftp[].passwordFile': 'A file with the password, instead of a key.',
  'sftp[].passwordEnv': 'A variable of the environment with the password, instead of a file.',
  'sftp[].pull':
    'Folders of the server to fetch from, one or several: spreadsheets, and the documents beside and below them.',
  'sftp[].push': 'The folder of the server for answers.',
  'sftp[].answers': '`own`: answers to its own files. `all`: answers to every file.',
  'sftp[].pollEvery': 'How often to look.',
  'sftp[].cron': 'When to look, instead of `pollEvery`.',
  'sftp[].timeZone': 'The zone of `cron`.',
  'sftp[].files': 'Which spreadsheets, by pattern.',
  'sftp[].profile': 'The profile that reads its files.',
  'sftp[].settleFor': 'A file is fetched when it has not changed for so long.',
  'sftp[].readyMarker': 'A file is fetched only when `<name><marker>` is in the same folder.',
  'sftp[].processed':
    '`move`: fetched files go to `processed/` below the folder they lay in. `delete`: they are removed.',
  'sftp[].openpgp': 'Files come encrypted and signed, and answers go so.',
  'sftp[].openpgp.privateKeyFile': 'Our key: decrypts and signs.',
  'sftp[].openpgp.passphraseFile': 'Its passphrase.',
  'sftp[].openpgp.partnerKeyFile': 'Whose signatures count, and who can read the answers.',
  'sftp[].openpgp.signature':
    '`required`, or `optional`: unsigned files are taken too; a wrong signature never is.',
  'sftp[].openpgp.answers': 'false: answers are sent unencrypted.',
  'sftp[].sequence': 'Numbers in the names of its files.',
  'sftp[].sequence.names': 'Where the number stands, such as `PAY-####.csv`.',
  'sftp[].sequence.first': 'The lowest number that is expected.',
  'sftp[].sequence.onGap': '`wait` for the missing file, or `warn` and take it.',
  notify: 'Who is told of what. Neither way ever holds up a payment.',
  'notify.email': 'Messages by e-mail.',
  'notify.email.host': 'The SMTP server.',
  'notify.email.port': 'Its port.',
  'notify.email.security': '`tls`, `starttls`, or `none` for a server on this machine only.',
  'notify.email.user': 'The user to log in as; leave it out for a server without login.',
  'notify.email.passwordFile':
    'A file with the password; or PAYDROP_SMTP_PASSWORD_FILE or PAYDROP_SMTP_PASSWORD.',
  'notify.email.from': 'The sender’s address.',
  'notify.email.to': 'One address, or a list.',
  'notify.email.timeout': 'How long sending may take.',
  'notify.hook': 'Messages as JSON to an address of yours.',
  'notify.hook.url': 'The address; https, or this machine.',
  'notify.hook.secretFile':
    'Signs the body (`x-paydrop-signature`); or PAYDROP_HOOK_SECRET_FILE or PAYDROP_HOOK_SECRET.',
  'notify.hook.timeout': 'How long posting may take.',
  'notify.push': 'Messages in the browsers of people who have chosen that at the page (Web Push).',
  'notify.push.services':
    'The push services that are called, such as `https://push.example.com`; none with `[]`. Left out: those of Chrome, Edge, Firefox and Safari.',
  'notify.push.timeout': 'How long one call may take.',
  'notify.events': 'Which events; left out: all but `accepted` and `duplicate`.',
  journal: 'Entries for the books, by SYSCOHADA where nothing else is said.',
  'journal.currency': 'The currency in which the books are kept.',
  'journal.code': 'The code of the journal of the bank, as the accounting program knows it.',
  'journal.accounts': 'The chart of accounts.',
  'journal.accounts.suppliers': 'What is owed to suppliers.',
  'journal.accounts.personnel': 'What is owed to the personnel.',
  'journal.accounts.bank': 'The account that pays.',
  'journal.accounts.fees': 'The fees of the payout service.',
  'journal.accounts.exchangeLoss': 'What was debited beyond the price that was shown.',
  'journal.accounts.exchangeGain': 'What was debited less than that.',
  'journal.banks':
    'The account that pays in a currency, such as `{ EUR: "5215" }`; `accounts.bank` for the others.',
  'journal.personnel': 'Payments for these purposes are owed to the personnel, all others to suppliers.',
  'journal.rates':
    'Needed where it is paid from another currency than that of the books: `EUR/XAF: 655.957` says that one EUR is booked as 655.957 XAF.',
  'journal.columns': 'The columns of the plain CSV, in their order.',
  proof: 'Proofs of payment (PDF).',
  'proof.font':
    'A font (TTF or OTF) for names that Helvetica cannot print, such as Chinese ones; without one these characters are printed as their numbers.',
  search: 'The index of `paydrop find` and of the search on the page.',
  'search.folder':
    'A folder on a disk of this machine for the index, instead of the workspace. Machines that share a ledger need one each: without it nothing is found there.',
  language: 'The language of answers and messages: `en` or `fr`.',
  log: 'The log: JSON lines with ids, codes and counts.',
  'log.level': 'trace, debug, info, warn, error, fatal or silent.',
  'log.file': 'The log file; without one only warnings are shown.',
};

/** The key that a misspelt one probably means; null when none is near. */
export function nearestKey(path: readonly string[]): string | null {
  const name = path.at(-1) ?? '';
  const place = path.slice(0, -1).map((part) => (/^\d+$/.test(part) ? '[]' : `.${part}`));
  const before = [...place, '.'].join('').slice(1);
  const siblings = Object.keys(KEY_DESCRIPTIONS)
    .filter((key) => key.slice(0, key.lastIndexOf('.') + 1) === before)
    .map((key) => key.slice(before.length));
  return nearestWord(name, siblings);
}
