// The headers that payroll and accounting programs write, in English, French, Spanish, German and Portuguese, and
// in Arabic as Chad writes it. A header is listed only when it cannot well mean
// anything else: `Compte` (a ledger account), `Matricule` (the same every month) and `Libellé` (free text) are left to a profile. What a word for the payee
// puts before or behind a listed header, or a `/` between two of them, need not be listed: see `canonicalOf`.

/** Canonical column → headers, as they are seen; they are compared folded. */
export const HEADER_ALIASES = {
  reference: listed(`
    Transaction no, Trans no, Transaction ref, Transaction reference, Payment no, Payment number, Instruction ID,
    Customer reference, Payout ID, Payout reference, Disbursement ID, Transfer reference, Transfer ID, Ref,
    Reference no, Reference number, Payment reference, Payment ref, Payment ID, Your reference, Référence,
    N° de référence, Référence paiement, Référence du paiement, Réf paiement, Référence de paiement,
    N° de paiement, Référence virement, Référence du virement, ID paiement, Referencia, Referencia de pago,
    Referencia del pago, N.º de referencia, Nº de pago, Número de pago, ID de pago, Referencia de la transferencia, N.º de operación, Reference ID, External reference, Référence externe, Referencia externa,
    External ID, End to end ID, Transaction number, Transaction ID, Referenz, Referenznummer,
    Zahlungsreferenz, Zahlungs-ID, Número de referência, Referência do pagamento, Referência de pagamento,
    Client reference, Client transaction ID, Client ref, Customer ref, Customer ref no, Customer reference no,
    Customer reference number, Merchant reference, Transaction reference no, Transaction ref no,
    Payment ref no, Payment reference no, Your ref, Référence client, Référence opération,
    Référence de la transaction, Référence transaction, N° de transaction, Referencia del cliente,
    Referencia de la operación, Referência do cliente, Referência da operação, Ref no,
    المرجع, رقم المرجع, مرجع الدفع, مرجع العملية, رقم العملية, رقم الدفع, رقم التحويل
  `),
  executionDate: listed(`
    Execution date, Date d'exécution, Fecha de ejecución, Ausführungsdatum, Ausführungstag, Data de execução,
    تاريخ التنفيذ
  `),
  payoutCorridorId: listed(`
    Corridor, Corridor ID, Payout corridor, Id corridor, Corredor
  `),
  destinationCountryIsoCode: listed(`
    Bank country, Beneficiary bank country, Payment country, Account country, Recipient country code,
    Pays de la banque, Pays banque, País banco, País del banco, País do banco, Country, Country code, Destination country, Destination country code,
    Country of destination, Destination country ISO, Pays, Code pays, Pays de destination, Pays destination,
    Pays destinataire, País, Código de país, Código país, País de destino, País destino, Land, Zielland,
    Bestimmungsland, Ländercode,
    البلد, الدولة, بلد المستفيد, دولة المستفيد, رمز البلد, بلد الوجهة, بلد البنك
  `),
  targetCurrency: listed(`
    Destination currency, Payout currency, Receive currency, Devise cible, Devise de destination,
    Devise destination, Devise de paiement, Devise reçue, Moneda de destino, Moneda destino,
    Divisa de destino, Zielwährung, Moeda de destino,
    عملة الوجهة, عملة الاستلام
  `),
  transactionMode: listed(`
    Transfer type, Transaction type, Mode de transaction, Type de transaction, Type de transfert,
    Modo de transacción, Tipo de transacción, Tipo de transferencia, Tipo de transação,
    نوع المعاملة, نوع التحويل, نوع العملية
  `),
  deliveryMethod: listed(`
    Payment method, Payout method, Method of payment, Payment mode, Mode de paiement, Moyen de paiement,
    Method, Delivery method, Méthode, Méthode de paiement, Método, Mode de règlement, Mode règlement,
    Mode paiement, Mode de versement, Mode de livraison, Método de pago, Forma de pago, Medio de pago,
    Método de entrega, Zahlungsart, Zahlungsweg, Zahlungsmethode, Método de pagamento, Forma de pagamento,
    Meio de pagamento,
    طريقة الدفع, وسيلة الدفع, طريقة التحويل, طريقة السداد
  `),
  bankName: listed(`
    Destination bank, Destination bank name, Receiving bank, Nom de banque, Bank, Name of bank, Banque,
    Nom de la banque, Nom banque, Établissement bancaire, Domiciliation bancaire, Banco, Nombre del banco,
    Entidad bancaria, Bankname, Name der Bank, Kreditinstitut, Empfängerbank, Nome do banco,
    البنك, اسم البنك, المصرف, اسم المصرف, بنك المستفيد
  `),
  sourceCurrency: listed(`
    Send currency, Sending currency, From currency, Devise source, Devise d'envoi, Devise envoyée,
    Devise d'origine, Moneda de origen, Moneda origen, Divisa de origen, Moneda de envío, Quellwährung,
    Ausgangswährung, Moeda de origem,
    Debit currency, Debited currency, Devise du débit, Devise de débit, Devise débit, Moneda de débito,
    Moneda de cargo, Moeda de débito,
    عملة المصدر, عملة الخصم, عملة الإرسال
  `),
  sourceAmount: listed(`
    Send amount, Amount to send, Amount sent, Sending amount, Montant source, Montant à envoyer,
    Montant envoyé, Montant à débiter, Montant à transférer, Importe de origen, Importe a enviar,
    Monto a enviar, Sendebetrag, Valor a enviar, Montante a enviar,
    المبلغ المرسل, مبلغ الإرسال, المبلغ المخصوم
  `),
  destinationAmount: listed(`
    Receive amount, Amount to receive, Amount received, Target amount, Payout amount, Montant de destination,
    Montant destination, Montant cible, Montant à recevoir, Montant reçu, Importe de destino,
    Importe a recibir, Monto a recibir, Importe destino, Empfangsbetrag, Valor a receber, Montante a receber,
    المبلغ المستلم, مبلغ الاستلام
  `),
  amount: listed(`
    Payable, Net salary payable, Net pay payable, Total net pay, Pay amount, Instructed amount, InstdAmt,
    Net payable, Net amount payable, Net amount due, Amount to be paid, Amount to transfer,
    Transaction amount, Disbursement amount, Net wage, Net wages, Take home pay, Take home salary,
    Montant à virer, Montant net à payer, Montant net à virer, Net à virer, Salaire à payer, Salaire à virer,
    Montant de la transaction, Monto neto, Importe líquido, Importe de la transferencia,
    Importe transferencia, Amount due, Amount to pay, Payment amount, Net amount, Net pay, Net salary,
    Net to pay, Total due, Amount payable, Invoice amount, Montant, Montant net, Montant à payer, Montant dû,
    Montant TTC, Total TTC, Montant du paiement, Montant du virement, Montant virement, Montant facture,
    Montant de la facture, À payer, Montant approuvé, Montant validé, Montant accordé, Approved amount, Net à payer, Net à payer TTC, Net payé, Salaire net, Salaire net à payer,
    Net salaire, Total à payer, Somme à payer, Reste à payer, Importe, Importe neto, Importe total,
    Importe a pagar, Importe del pago, Monto, Monto a pagar, Monto total, Neto a pagar, Líquido a percibir,
    Salario neto, Total a pagar, Neto a percibir, Transfer amount, Total amount, Payable amount,
    In-hand salary, Montant total, Betrag, Zahlbetrag, Auszahlungsbetrag, Überweisungsbetrag,
    Rechnungsbetrag, Nettolohn, Nettogehalt, Valor, Valor a pagar, Montante, Montante a pagar,
    Líquido a pagar, Líquido a receber, Salário líquido, Amt, Open balance, Balance due, Outstanding amount,
    Amount outstanding, Restant dû, Restant à payer, Solde à payer, Importe pendiente, Valor em aberto,
    Valor líquido, Vencimento líquido, Invoice total, Payment amt, Net pay amount,
    Nett pay, Nett salary, Nett amount, Montant devise, Montant en devise, Montant en devises,
    Foreign amount, Importe en divisa, Importe en moneda, Montante em divisa, Pmt amount, Pmnt amount, Montant en chiffres,
    Amount in figures, Importe en cifras, Importe de la factura, Importe factura, Importe a transferir, Importe a abonar,
    Importe de la nómina, Salario a pagar, Sueldo neto, Sueldo líquido, Sueldo a pagar, Valor em algarismos, Net payment, Wage amount, Salary amount,
    Amount to submit, Montant salaire, Montant du salaire,
    Montant à régler, À régler, Somme à régler, Reste à régler, Net à régler, À régler ce mois, À payer ce mois,
    Outstanding, Solde dû, Solde restant dû, Montant restant, Montant restant dû, Reste dû, Saldo pendiente,
    Remaining amount, Amount remaining, Remaining balance, Balance to pay,
    المبلغ, مبلغ, القيمة, المبلغ المستحق, المبلغ الواجب دفعه, المبلغ الصافي, صافي المبلغ, صافي الراتب,
    الراتب الصافي, الصافي للدفع, صافي المستحق, الصافي المستحق, مبلغ الدفع, مبلغ التحويل, مبلغ الفاتورة,
    المبلغ الإجمالي, إجمالي المبلغ, المبلغ المطلوب
  `),
  currency: listed(`
    Amount currency, Transaction currency, Currency ISO, Currency ISO code, Devise du montant,
    Devise montant, Currency code, Ccy, Curr, Payment currency, Devise, Code devise, Monnaie,
    Devise du paiement, Moneda, Divisa, Código de moneda, Código moneda, Moneda de pago, Währung, Whg,
    Währungscode, Moeda, Código da moeda, Invoice currency,
    Crcy, Dev, Transfer currency,
    العملة, عملة, رمز العملة, عملة الدفع
  `),
  purposeOfRemittance: listed(`
    Purpose, Payment purpose, Purpose of payment, Purpose of transfer, Reason for payment, Payment reason,
    Motif, Motif du paiement, Motif de paiement, Motif du virement, Motif du transfert, Motif de transfert,
    Motivo, Motivo del pago, Motivo de pago, Motivo de la transferencia, Finalidad, Propósito del pago,
    Zweck, Zahlungszweck, Zahlungsgrund, Finalidade, Motivo do pagamento, Motivo de pagamento,
    الغرض, غرض الدفع, غرض التحويل, سبب الدفع, سبب التحويل, الغرض من التحويل, الغرض من الدفع
  `),
  documentReferenceNumber: listed(`
    Bill no, Bill number, Document number, Document reference, Document no, Invoice, Invoice number, Invoice no, Invoice ref,
    Invoice reference, Contract number, Contract no, Facture, N° facture, N° de facture, Numéro de facture,
    Numéro facture, Réf. facture, Référence facture, Référence de la facture, N° de pièce, N° pièce,
    N° de contrat, N° contrat, Numéro de contrat, Réf. document, Référence du document, N° document, Factura,
    N.º de factura, N.º factura, Número de factura, Número factura, Número de contrato, Número de documento,
    Rechnungsnummer, Rechnungsnr., Rechnung Nr., Belegnummer, Vertragsnummer, Fatura, Número da fatura,
    N.º da fatura, Número do contrato,
    رقم الفاتورة, الفاتورة, رقم العقد, رقم المستند, رقم الوثيقة
  `),
  attachment: listed(`
    Attachments, Attached file, File, File name, Document, Supporting document, Pièce jointe, Pièces jointes,
    PJ, Justificatif, Pièce justificative, Fichier, Nom du fichier, Fichier joint, Adjunto, Archivo,
    Archivo adjunto, Documento, Documento adjunto, Justificante, Fichero, Anhang, Anlage, Datei, Dateiname,
    Anexo, Ficheiro, Arquivo, Comprovativo,
    المرفق, المرفقات, الملف المرفق, المستند, اسم الملف, ملف الفاتورة
  `),
  'receiver.name': listed(`
    Name of employee, Employee names, Name of supplier, Name of payee, Full names, Worker, Worker name,
    Contractor, Contractor name, Nombre proveedor, Nombre o razón social, Beneficiary, Beneficiary name,
    Name of beneficiary, Receiver, Receiver name, Recipient, Recipient name, Payee, Payee name, Supplier,
    Supplier name, Vendor, Vendor name, Employee, Employee name, Full name, Creditor, Creditor name,
    Bénéficiaire, Nom du bénéficiaire, Nom bénéficiaire, Nom et prénom, Nom et prénoms, Nom & prénom,
    Nom complet, Prénom et nom, Noms et prénoms, Destinataire, Nom du destinataire, Fournisseur,
    Nom du fournisseur, Nom fournisseur, Raison sociale, Salarié, Nom du salarié, Employé, Nom de l'employé,
    Créancier, Beneficiario, Nombre del beneficiario, Nombre beneficiario, Proveedor, Nombre del proveedor,
    Destinatario, Empleado, Nombre del empleado, Trabajador, Nombre completo, Nombre y apellidos,
    Apellidos y nombre, Apellidos y nombres, Nombres y apellidos, Asalariado, Nombre del asalariado,
    Nombre del trabajador, Nombre del acreedor, Nombre del destinatario, Razón social, Acreedor, Staff name, Provider name, Collector name, Contact name,
    Nom vendeur, Nom du vendeur, Bénéficiaire nom, Empfänger, Empfängername, Name des Empfängers,
    Zahlungsempfänger, Begünstigter, Lieferant, Lieferantenname, Mitarbeiter, Mitarbeitername, Arbeitnehmer,
    Kreditor, Vollständiger Name, Nome do beneficiário, Fornecedor, Nome do fornecedor, Funcionário,
    Nome do funcionário, Trabalhador, Colaborador, Nome completo, Razão social, Credor,
    Supplier ID (T), Apar name, Apar ID (T), Receiver party name, Credit party name, Name 1, Nom du tiers, Nom tiers, Intitulé du tiers,
    Intitulé tiers, Tiers bénéficiaire, Partner, Partner name, Partenaire, Party,
    Party name,
    المستفيد, اسم المستفيد, الاسم الكامل, الاسم واللقب, الاسم واسم العائلة, اسم الموظف, الموظف, اسم العامل,
    المورد, اسم المورد, اسم المستلم, المستلم
  `),
  'receiver.registeredName': listed(`
    Company, Company name, Business name, Legal name, Registered name, Société, Nom de la société,
    Dénomination sociale, Entreprise, Nom de l'entreprise, Empresa, Nombre de la empresa,
    Denominación social, Firma, Firmenname, Unternehmen, Nome da empresa, Denominação social,
    الشركة, اسم الشركة, اسم المؤسسة, المؤسسة
  `),
  'receiver.registrationNumber': listed(`
    Registration no, Registration number, Company registration number, Company number, RCCM, N° RCCM, Numéro RCCM, RC, SIREN,
    SIRET, N° d'immatriculation, Numéro d'immatriculation, Registre du commerce, Número de registro, N.º de registro,
    Registro mercantil, Handelsregisternummer, Número de registo,
    رقم السجل التجاري, السجل التجاري, رقم التسجيل
  `),
  'receiver.firstName': listed(`
    First name, First names, Given name, Given names, Forename, Prénom, Prénoms, Nombre de pila, Nombres,
    Vorname, Vornamen, Primeiro nome, Nome próprio,
    الاسم الأول, الاسم الشخصي
  `),
  'receiver.lastName': listed(`
    Last name, Surname, Family name, Nom de famille, Nom patronymique, Apellido, Apellidos, Primer apellido,
    Nachname, Familienname, Zuname, Sobrenome, Apelido, Último nome,
    اللقب, اسم العائلة, النسب, الاسم العائلي
  `),
  'receiver.address': listed(`
    Address 1, Street name, Adresse 1, Adresse ligne 1, Address, Street, Street address, Adresse, Dirección,
    Domicilio, Address line 1, Anschrift, Straße, Endereço, Morada,
    العنوان, عنوان المستفيد, الشارع
  `),
  'receiver.city': listed(`
    Creditor town name, City, Town, Ville, Localité, Ciudad, Localidad, Población, Stadt, Ort, Wohnort,
    Cidade, Localidade, Município,
    المدينة, مدينة المستفيد
  `),
  'receiver.countryIsoCode': listed(`
    Payee country, Creditor country, Beneficiary country, Receiver country, Recipient country,
    Supplier country, Country of residence, Pays du bénéficiaire, Pays bénéficiaire, Pays du fournisseur,
    Pays fournisseur, Pays de résidence, País del beneficiario, País de residencia, Land des Empfängers,
    Empfängerland, País do beneficiário,
    بلد الإقامة, دولة الإقامة
  `),
  'receiver.msisdn': listed(`
    Recipient phone number, Receiver phone number, Beneficiary phone number, Beneficiary mobile number,
    Recipient mobile number, Recipient telephone, Recipient mobile, Beneficiary mobile, Payee phone,
    Receiver phone, Receiver telephone, Beneficiary phone, Beneficiary telephone, Recipient phone,
    Supplier phone, Téléphone du bénéficiaire, Téléphone bénéficiaire, Tél. bénéficiaire,
    Teléfono del beneficiario, Telefon des Empfängers, Telefone do beneficiário,
    هاتف المستفيد, رقم هاتف المستفيد
  `),
  'receiver.email': listed(`
    Receiver email, Beneficiary email, Recipient email, Email du bénéficiaire, Email bénéficiaire,
    Correo del beneficiario,
    بريد المستفيد
  `),
  'delivery.bankAccountHolderFullName': listed(`
    Destination account name, Account holder names, Name on the account, Account title,
    Account holder full name, Nom du compte, Account holder, Account holder name, Account name,
    Name on account, Bank account holder, Account owner, Titulaire, Titulaire du compte, Nom du titulaire,
    Nom du titulaire du compte, Intitulé du compte, Intitulé de compte, Titular, Titular de la cuenta,
    Nombre del titular, Bank account name, Bank account holder name, Kontoinhaber, Name des Kontoinhabers,
    Titular da conta, Nome do titular,
    صاحب الحساب, اسم صاحب الحساب, اسم الحساب
  `),
  'delivery.bankAccountNumber': listed(`
    Destination account, Destination account number, Credit account number, N° compte bancaire,
    Numéro compte bancaire, Creditor account, Creditor account IBAN, Recipient account, Payee account,
    Acct no, Acct number, A/C no, A/C number, NUBAN, CCP, Account number, Account no, Bank account,
    Bank account no, Beneficiary account, Receiver account, IBAN, IBAN number, N° de compte, N° compte,
    Numéro de compte, Numéro compte, No de compte, Num compte, Compte bancaire, N° de compte bancaire,
    Numéro de compte bancaire, Compte bénéficiaire, RIB, Code IBAN, Compte du bénéficiaire, N.º de cuenta,
    N.º cuenta, Número de cuenta, Numero cuenta, Cuenta bancaria, Número de cuenta bancaria,
    Cuenta del beneficiario, CLABE, Bank account number, Kontonummer, Konto-Nr., Bankkonto, Empfängerkonto,
    Número da conta, N.º da conta, Conta bancária, Conta do beneficiário, NIB, Compte à créditer,
    Account to credit, Cuenta de abono, Cuenta a abonar, Conta a creditar,
    Bank acct, Bank acct no, Bank acct number, Beneficiary acct, Beneficiary acct no,
    Coordonnées bancaires, Coordonnée bancaire, Bank details, Banking details, Bank account details,
    Datos bancarios, Datos de la cuenta, Datos de cuenta, Relevé d'identité bancaire, Dados bancários,
    رقم الحساب, رقم الحساب البنكي, الحساب البنكي, رقم الحساب المصرفي, الحساب المصرفي, حساب المستفيد,
    رقم حساب المستفيد, رقم الآيبان, الآيبان, آيبان
  `),
  'delivery.bankAccountSwiftCode': listed(`
    Creditor agent BIC, Bank identifier code, SWIFT, SWIFT code, BIC, BIC code, Bank SWIFT, Bank SWIFT code,
    Bank BIC, Code SWIFT, Code BIC, Código SWIFT, Código BIC,
    رمز السويفت, سويفت, رمز سويفت, السويفت
  `),
  'delivery.msisdn': listed(`
    Mobile wallet, Mobile wallet number, Wallet, Wallet number, Wallet phone, Wallet phone number,
    Mobile money, Mobile money number, MSISDN, Portefeuille, N° de portefeuille, Numéro de portefeuille,
    Numéro mobile money, N° mobile money, Billetera, Número de billetera, N.º de billetera, Billetera móvil, Monedero, Wallet-Nummer, Carteira,
    Número da carteira, Wallet no, MoMo no,
    Numéro OM, Compte OM, OM number, Orange Money, Numéro Orange Money, N° Orange Money,
    Orange Money number, MoMo, MoMo number, Numéro MoMo, N° MoMo, MTN MoMo number, Numéro MTN MoMo,
    Numéro Wave, N° Wave, Wave number, M-Pesa number, Airtel Money number, Téléphone OM,
    Tél. OM, Téléphone Orange Money, Téléphone MoMo,
    Alipay, Compte Alipay, Alipay account, Cuenta Alipay, ID Alipay, Alipay ID, Identifiant Alipay,
    N° Alipay, Numéro Alipay, Alipay number, Alipay no, Téléphone Alipay, Wallet Alipay, Alipay wallet,
    Portefeuille Alipay, WeChat, Compte WeChat, WeChat account, Cuenta WeChat, ID WeChat, WeChat ID,
    Identifiant WeChat, N° WeChat, Numéro WeChat, WeChat number, WeChat no, Téléphone WeChat, Wallet WeChat,
    WeChat wallet, Portefeuille WeChat, WeChat Pay, 支付宝, 支付宝账号, 支付宝账户, 微信, 微信号, 微信账号,
    رقم المحفظة, المحفظة, محفظة الهاتف, رقم محفظة الهاتف, المحفظة الإلكترونية, رقم المحفظة الإلكترونية, علي باي,
    رقم علي باي, حساب علي باي
  `),
  'delivery.email': listed(`
    Wallet email, Alipay email, Email Alipay, Email du portefeuille, Correo de la billetera
  `),
  'delivery.cardNumber': listed(`
    Card, Card number, Card no, Bank card number, UnionPay card, UnionPay card number, Carte, N° de carte,
    N° carte, Numéro de carte, Carte bancaire, Carte UnionPay, Tarjeta, N.º de tarjeta, Número de tarjeta,
    Kartennummer, Karten-Nr., Cartão, Número do cartão,
    رقم البطاقة, البطاقة, بطاقة يونيون باي
  `),
} satisfies Readonly<Record<string, readonly string[]>>;

function listed(text: string): readonly string[] {
  return text.trim().split(/,\s*/);
}

/** A telephone is a wallet's where money goes to wallets, and the receiver's where it goes to accounts: the other columns decide. */
export const PHONE_HEADERS = listed(`
  Tel no, Telephone no, Mobile no, Cell, Cell no, Contact number, Numéro mobile, N° mobile, Phone,
  Phone number, Phone no, Telephone, Telephone number, Mobile, Mobile number, Mobile phone, Cell phone,
  N° de téléphone, N° téléphone, Numéro de téléphone, Tél., Téléphone mobile, Portable, Telefon,
  Telefonnummer, Handy, Handynummer, Mobil, Mobilnummer, Mobiltelefon, Telefone, Número de telefone,
  Numéro téléphone, Num téléphone, Número teléfono, Número telefone, Número telemóvel, Telemóvel, Teléfono, Número de teléfono, N.º de teléfono, Móvil, Celular, Teléfono móvil,
  الهاتف, رقم الهاتف, الجوال, رقم الجوال, رقم الجوال المحمول, الهاتف المحمول, التلفون, رقم التلفون, الهاتف الجوال
`);

/** The same holds for an e-mail address. */
export const EMAIL_HEADERS = listed(`
  Email, Mail, Email address, Adresse email, Adresse mail, Courriel, E-Mail-Adresse, Endereço de e-mail,
  Correo, Correo electrónico, Dirección de correo,
  البريد الإلكتروني, البريد, الإيميل, بريد إلكتروني
`);

/** A surname where a column of first names stands beside it, else the whole name. */
export const SURNAME_HEADERS = listed(`
  Name, Names, Nom, Noms, Nombre, Nome,
  الاسم
`);

/** References that people also use for the text that the receiver reads. */
export const TEXT_REFERENCE_HEADERS = listed(`
  Payment reference, Payment ref, Référence paiement, Référence du paiement, Référence de paiement,
  Référence virement, Référence du virement, Referencia de pago, Referencia del pago, Zahlungsreferenz,
  Referência do pagamento, Referência de pagamento
`);

/** Codes by which the banks of one country know each other; corridors ask for the SWIFT code. */
export const LOCAL_BANK_CODE_HEADERS = listed(`
  Bank code, Bank sort code, Sort code, Sort code or routing number, Routing number, ABA,
  ABA routing number, BSB, BSB code, BSB number, IFSC, IFSC code, Fund Account Ifsc, Channel code,
  Branch code, Bank branch code, Code banque, Code guichet, Código de banco, Código bancario, Bankleitzahl,
  BLZ, Código do banco
`);

/** Columns that say of each row how its payment stands, and the cells of them that say that it was paid. */
export const STATUS_HEADERS = listed(`
  Status, Statut, State, Estado, État, Zahlungsstatus, Payment status, Payment state, Transaction status,
  Transfer status, Transfer state, Payout status, Disbursement status, Delivery status, Statut du paiement,
  Statut paiement, Statut du virement, État du paiement, Estado del pago, Estado de pago,
  Estado de la transferencia, Invoice status, Statut facture, Statut de la facture, Situation, Situação,
  Status do pagamento, 状态, 付款状态,
  الحالة, حالة الدفع, حالة التحويل
`);
export const PAID_CELLS = listed(`
  paid, paid out, completed, complete, settled, success, successful, succeeded, executed, disbursed, cleared,
  transferred, payé, payée, réglé, réglée, versé, versée, exécuté, exécutée, effectué, effectuée, viré,
  transféré, décaissé, pagado, pagada, completado, completada, liquidado, bezahlt, ausgeführt, überwiesen,
  in payment, in process of payment, en paiement, en cours de paiement, partially paid, partial, partly paid,
  partiellement payé, partiellement payée, partiellement réglé, partiel, parcialmente pagado, parcialmente pago,
  reversed, extourné, extournée, contre-passé, refunded, remboursé, remboursée, pago, paga, liquidada, 已付, 已付款, 已支付,
  مدفوع, مدفوعة, تم الدفع, مسدد, تم السداد, تم التحويل
`);

/** Those of its cells that say that nobody is to pay. */
export const STOPPED_CELLS = listed(`
  cancelled, canceled, annulé, annulée, anulado, anulada, cancelado, cancelada, storniert, blocked, bloqué,
  bloquée, bloqueado, bloqueada, gesperrt, rejected, rejeté, rejetée, refusé, refusée, rechazado, rechazada,
  suspended, suspendu, suspendue, suspendido, suspendida, disputed, litige, en litige, contesté, contestée,
  on hold, hold, en attente de validation, do not pay, ne pas payer, no pagar, stop, stopped, draft, brouillon,
  borrador, void, virement émis, émis, émise, soldé, soldée, lettré, lettrée, annulation, à valider, à approuver,
  à vérifier, à contrôler, non validé, non validée, non approuvé, non approuvée, not approved, to approve,
  to validate, awaiting approval, pending approval, pending validation, en attente d'approbation, a validar,
  pendiente de aprobación, pendiente de validación, submitted, soumis, soumise, proforma, pro forma, avoir, credit note, doublon, duplicate, 暂停, 暂停付款, 作废, 已取消,
  ملغى, ملغاة, موقوف, موقوفة, معلق, معلقة, مرفوض, لا تدفع, لا يدفع
`);

/** Columns that ask whether a row may be paid, and the cells of them that say yes: whatever else stands there, or nothing, is none. */
export const APPROVED_HEADERS = listed(`
  Bon à payer, BAP, OK to pay, Approved, Approuvé, Approuvée, Validé, Validée, Validated, Autorisé, Autorisée,
  Authorised, Authorized, Aprobado, Aprobada, Autorizado, Autorizada, Freigegeben, Aprovado, Aprovada,
  Visto bueno, Autorización de pago, Visa DG, Visa DAF, Validation, Validation DG, Validation DAF, Approbation, Autorisation de paiement,
  À payer (O/N), À payer (oui/non), Payer (O/N), Payer (oui/non), Pay (Y/N)
`);
export const APPROVED_CELLS = listed(`
  ok, okay, bon, bon à payer, bap, approved, approuvé, approuvée, validé, validée, validated, autorisé, autorisée,
  authorised, authorized, accord, accordé, accordée, favorable, vu, vu bon à payer, valid, valide, passed, conforme, signé, signée, à payer, to pay,
  visto bueno, validado, validada, aprobado, aprobada, autorizado, autorizada, aprovado, aprovada, freigegeben
`);

/** Columns that ask whether it was paid, or how much, or whether it is not to be paid; and the cells of them that say yes. */
export const PAID_HEADERS = listed(`
  Paid, Is paid, Has paid, Already paid, Payé, Payée, Déjà payé, Réglé, Réglée, Pagado, Pagada, Ya pagado,
  Bezahlt, Montant payé, Montant déjà payé, Montant réglé, Déjà réglé, Déjà versé, Montant versé, Amount paid,
  Paid amount, Paid to date, Importe pagado, Monto pagado, Valor pago, Payé (O/N), Payé (oui/non), Pago (S/N),
  Virement fait, Virement effectué, Paiement effectué, Annulé, Annulée, Cancelled, Canceled, Anulado, Anulada,
  Cancelado, Cancelada, Bloqué, Bloquée, Blocked, Bloqueado, Suspendu, Suspendue, Litige, En litige, Doublon,
  Duplicate,
  مدفوع, المدفوع, المبلغ المدفوع, تم الدفع
`);

/** Columns of what is taken off a whole amount. */
export const DEDUCTION_HEADERS = listed(`
  Acompte, Acomptes, Acompte versé, Acomptes versés, Acompte déjà versé, Avance, Avances, Avance versée,
  Avances versées, Advance, Advances, Advance paid, Deposit paid, Anticipo, Anticipos, Avoir, Avoirs, Retenue, Retenues,
  Retención, Retenciones
`);
export const YES_CELLS = listed('yes, y, true, 1, x, oui, o, vrai, sí, s, verdadero, ja, wahr, نعم');

/** Columns of the day on which it was paid. */
export const PAID_DAY_HEADERS = listed(`
  Paid on, Paid at, Paid date, Date paid, Payé le, Payée le, Réglé le, Pagado el, Bezahlt am, N° chèque,
  N.º de cheque, Número de cheque, N° de chèque, Numéro de chèque, No chèque, Cheque no, Cheque number, Check number
`);

/** Columns in which any entry stops the row. */
export const BLOCK_HEADERS = listed(`
  Payment block, Blocage, Blocage paiement, Blocage de paiement, Blocage au paiement, Motif de blocage,
  Motif du blocage, Motif de rejet, Motif du rejet, Bloqueo de pago, Motivo de bloqueo, Motivo del bloqueo, Motivo de rechazo, Zahlsperre, Lettrage, Code lettrage,
  Clearing document, Clearing date, Pièce de rapprochement, Date de lettrage, Date de rapprochement
`);

/** Columns that say what kind of entry a row is, and the cells of them for one that is owed to us, or settled. */
export const KIND_HEADERS = listed(`
  Document type, Doc type, Document kind, Type de pièce, Type pièce, Type de document, Type document, Nature, Move type,
  Type, Tipo, Tipo de documento, Tipo documento, Belegart, Entry type, Type d'écriture, Type de facture, Invoice type, 类型
`);
export const CREDIT_CELLS = listed(`
  avoir, avoirs, avoir fournisseur, facture d'avoir, note de crédit, note d'avoir, credit note, credit memo,
  supplier credit note, vendor credit note, vendor credit, nota de crédito, nota de abono, factura rectificativa, gutschrift, in_refund, kg, av, reversal, extourne, 红字, 贷项凭单
`);

/** Words for who is paid, without accents. */
export const PAYEE =
  /(?<!\p{L})(?:beneficiary|beneficiaries|recipient|receiver|payee|creditor|supplier|vendor|employee|staff|worker|contractor|beneficiaires?|destinataire|fournisseur|salariee?|employee?|creancier|beneficiari[oa]|destinatario|proveedor|emplead[oa]|trabajador|acreedor|fornecedor|funcionario|trabalhador(?:a)?|colaborador(?:a)?|empfangers?|lieferanten?|mitarbeiters?)(?:['’]s)?(?!\p{L})/giu;

/** Parts of words for who pays, folded; not those of `Net à payer`. */
export const PAYER =
  /(?<!a)payer|payeur|payor|pagador|zahlungspflichtig|debtor|debit|debet|sender|source|ordering|originator|initiat|ownaccount|fromaccount|auftrag|donneur|emetteur|emisor|ordenante|ordenador|remetente/;

// What words of headers say, where the whole header is not listed.

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

export const NAME_WORDS: ReadonlySet<string> = new Set([
  'name',
  'names',
  'nom',
  'noms',
  'nombre',
  'nome',
  'intitule',
]);

/** What may stand beside the word for a payee or a name, and leaves it one: `Full name of the supplier`, `Vendor (legal name)`. */
export const BESIDE_NAMES: ReadonlySet<string> = wordsOf(`
  full complete complet completo legal business trading registered of the du de la del do da et and y
  e first last benef title prenom prenoms apellido apellidos t raison razon social sociale tiers
  tercero
`);

/** Headers of numbers that nobody pays, and of sums before something is taken off or put on. */
export const NEVER_PAID: ReadonlySet<string> = wordsOf(`
  id no nr num numero number code matricule ref lfd index phone tel zip postal year annee ano anio
  jahr date fecha datum hour hours heures horas stunden age per rate taux tasa percent pct qty
  quantity quantite gross brut bruto brutto basic base tax vat iva tva mwst deductions deduction
  retenue retenues discount balance allowance limit
`);

/** What a column of amounts is called: what is left to pay, then sums of any kind. */
export const NET_WORDS: ReadonlySet<string> = new Set([
  'net',
  'neto',
  'netto',
  'liquido',
  'payable',
  'zahlbetrag',
]);

export const SUM_WORDS = [
  ...wordsOf(`
  amount montant importe monto betrag valor total sum somme summe salary salaire salario sueldo spend value
  payment paiement pago zahlung cheque
`),
];

/** Shorter words stand in the headers of every language. */
const WORD_LEAST = 3;

/** Words of the headers that paydrop knows, in plain small letters. */
const WORDS: ReadonlySet<string> = new Set(
  [
    ...[...Object.values(HEADER_ALIASES).flat(), ...PHONE_HEADERS, ...EMAIL_HEADERS].flatMap((header) =>
      plainWords(header)
        .split(' ')
        .filter((word) => word.length > WORD_LEAST),
    ),
    ...[...NEVER_PAID, ...NET_WORDS, ...SUM_WORDS, ...NAME_WORDS, 'type', 'status', 'description'],
  ].filter((word) => word.length >= WORD_LEAST),
);

/** A header in plain small letters, a space between its words. */
export function plainWords(header: string): string {
  const plain = header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .toLowerCase();
  return plain
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Whether none of these headers has a word that paydrop knows, so that nothing of them can be read. */
export function isForeign(headers: readonly string[]): boolean {
  return !headers.some((header) =>
    plainWords(header)
      .split(' ')
      .some((word) => WORDS.has(word)),
  );
}
