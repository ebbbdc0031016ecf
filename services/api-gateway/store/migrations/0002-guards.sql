-- What the database refuses, whatever the service tries.

-- A key's life can only be shortened, and a revocation is final.
create function gateway.refuse_longer_life() returns trigger language plpgsql as $$
begin
  if (old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at))
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
    or (old.replaced_by is not null and new.replaced_by is distinct from old.replaced_by) then
    raise exception 'key % can''t come back to life', old.id using errcode = 'GW001';
  end if;
  return new;
end $$;
create trigger api_key_life_only_shortens
before update of expires_at, revoked_at, replaced_by on gateway.api_key
for each row execute function gateway.refuse_longer_life();
