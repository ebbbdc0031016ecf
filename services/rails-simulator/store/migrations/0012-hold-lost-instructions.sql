-- An instruction that got lost and is sent again during an outage is held from then on.
grant update on rails.undelivered_instruction to rails;
