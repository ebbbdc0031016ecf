-- The confirmation of a new key, a person or the policy covers what the request's body says.

-- Null before, and where a decision has no body of its own: no rewrite, and the earlier code leaves it out.
alter table gateway.step_up
  add column body_hash text;
