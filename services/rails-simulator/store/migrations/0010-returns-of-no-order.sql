-- A return of an entry that is of no order, and a payment that its receiver sends back as a new one.

alter table rails.step
  -- Of a step that has a reference of its own: the trace number of such a return, the reference of such a payment.
  add column reference text;
alter table rails.step drop constraint step_kind_known;
alter table rails.step add constraint step_kind_known check (
  kind in ('Accepted', 'Settled', 'Failed', 'Returned', 'NoticeOfChange', 'UnmatchedReturn', 'SentBack')
);
alter table rails.step drop constraint step_code_where_it_has_one;
alter table rails.step add constraint step_code_where_it_has_one check (
  (code is not null) = (kind in ('Failed', 'Returned', 'NoticeOfChange', 'UnmatchedReturn'))
);
alter table rails.step add constraint step_reference_where_it_has_one check (
  (reference is not null) = (kind in ('UnmatchedReturn', 'SentBack'))
);

-- The bank books them with the step that made them. Its statements name no order for them.
alter table rails.bank_movement drop constraint bank_movement_kind_known;
alter table rails.bank_movement add constraint bank_movement_kind_known
  check (kind in ('Settlement', 'Return', 'UnmatchedReturn', 'SentBack'));
create unique index bank_movement_of_no_order_once on rails.bank_movement (book_id, reference)
  where kind in ('UnmatchedReturn', 'SentBack');
