-- Which change of its principal's right a waiting rotation made when it ended the old key: its approval continues
-- that right, and no other. Null: it ended none, or it was proposed before this column; then the right is held anew.
alter table gateway.key_proposal add column ended_right integer;
