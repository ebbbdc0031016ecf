-- What a notice of change corrects that a call has stored for the hand-off. An account number in it is encrypted.
alter table rails.instruction add column pending_corrected_data jsonb;
