-- What operators have said of orders that are stuck at their rails, word for word: two that agree resolve one.

create table orders.resolution_vote (
  book_id uuid not null,
  order_id uuid not null,
  -- Counted under the order's row lock.
  position int not null,
  outcome text not null constraint resolution_vote_outcome check (outcome in ('settled', 'failed')),
  operator text not null,
  evidence text not null,
  at timestamptz not null,
  constraint resolution_vote_pkey primary key (book_id, order_id, position)
);

-- Never changed: it is the record of who moved money by hand.
grant select, insert on orders.resolution_vote to orders;
