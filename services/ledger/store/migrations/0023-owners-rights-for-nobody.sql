-- 0016 took what runs with its owner's rights from everybody; what came after it is taken here. A trigger's function
-- could be hung on a temporary table, and would then write the days of any book with rows that nobody booked.
revoke all on function ledger.seal_keeps_class_totals() from public;
revoke all on function ledger.journals_move_days() from public;
revoke all on function ledger.account_change_is_counted() from public;
