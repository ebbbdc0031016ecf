-- What the banks of counterparties correct. Each row is one correction, proposed by the first notice of change of it.
create table orders.proposed_change (
  book_id uuid not null,
  id uuid not null,
  counterparty_id uuid not null,
  order_id uuid not null,
  status text not null,
  -- The rails of the accounts that it is about. An edit of one of them takes its rail away.
  rails text[] not null,
  code text not null,
  -- An account number in it is encrypted.
  corrected_data jsonb not null,
  received_at timestamptz not null,
  correct_by timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  constraint proposed_change_pkey primary key (book_id, id),
  constraint proposed_change_of_counterparty foreign key (book_id, counterparty_id)
    references orders.counterparty (book_id, id),
  constraint proposed_change_status check (status in ('Open', 'Accepted', 'Dismissed', 'Superseded')),
  constraint proposed_change_decided check (
    (status = 'Open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint proposed_change_has_rail check (cardinality(rails) > 0)
);
create index proposed_change_listed on orders.proposed_change (book_id, counterparty_id, id);
-- Every order that names a counterparty asks for these.
create index proposed_change_open on orders.proposed_change (book_id, counterparty_id) where status = 'Open';
grant select, insert, update (status, rails, corrected_data, decided_by, decided_at) on orders.proposed_change to orders;
