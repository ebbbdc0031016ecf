-- A confirmation names the version of what was shown, as the header If-Match of the write does: within its two minutes
-- a session could verify bank details that were replaced after the passkey. Beside the previous version: its
-- confirmations name none, so a newer gateway asks for another one where the write has If-Match.

alter table gateway.step_up add column if_match text;
