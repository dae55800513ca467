// `PUT /transfers/{id}/attachment`: the supporting document. Only the fact that it is there matters here, so its bytes are not kept.
import { emptySuccess, invalid, refusal, type Answer } from './answers.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';

/** `application/pdf` or any `image/*`, whatever parameters follow. */
const DOCUMENT_TYPE = /^(application\/pdf|image\/[\w.+-]+)\s*(;.*)?$/i;

/** The reply to an upload is not shown: it is empty. A second document replaces the first. */
export function uploadAttachment(sandbox: Sandbox, request: SandboxRequest): Answer {
  const transfer = sandbox.state.transfers.get(request.id);
  if (transfer === undefined) return refusal(10014);
  if (!DOCUMENT_TYPE.test(request.header('content-type') ?? ''))
    return invalid(['content-type must be application/pdf or image/*']);
  if (request.body.byteLength === 0) return invalid(['body must be the document']);
  // The code for an upload that comes too late is not shown; "already confirmed" is what has happened. Expiry alone does not
  // change the status, so an expired transfer that is still `created` takes a document like any other.
  if (transfer.status !== 'created') return refusal(10015);
  if (!transfer.hasAttachment) sandbox.commit({ transferChange: { id: transfer.id, hasAttachment: true } });
  return emptySuccess;
}
