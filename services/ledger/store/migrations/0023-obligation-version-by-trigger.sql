-- The version of an obligation rises here and nowhere else, so also when an instance of a release that does not raise
-- it changes the row. It counts what a caller can have seen: not a remittance that orders may still refuse, nor the
-- repetition of its request. Locks: obligation, for an instant.
create function ledger.obligation_counts_changes() returns trigger language plpgsql as $$
begin
  new.version := old.version + (
    (new.event_count, new.updated_at, new.reference, new.jurisdiction, new.period, new.payee_counterparty_id, new.lines,
      new.fixed_cents)
    is distinct from (old.event_count, old.updated_at, old.reference, old.jurisdiction, old.period,
      old.payee_counterparty_id, old.lines, old.fixed_cents))::integer;
  return new;
end $$;
create trigger obligation_counts_changes before update on ledger.obligation
  for each row execute function ledger.obligation_counts_changes();
alter table ledger.obligation enable always trigger obligation_counts_changes;
