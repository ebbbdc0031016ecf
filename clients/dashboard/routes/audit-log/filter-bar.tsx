import { useState } from "react";
import { hasFilter } from "../../parts/page/read-search.ts";
import { auditTexts } from "../../texts/people.ts";
import type { AuditFilters } from "./filters.ts";

const { filters: words } = auditTexts;

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly change: (filters: AuditFilters) => void;
}

/** Searches on Enter: each letter would be a request. A changed filter begins at the first page again. */
export function FilterBar({ filters, change }: FiltersProps) {
  const [actor, setActor] = useState(filters.actor ?? "");
  const [objectId, setObjectId] = useState(filters.objectId ?? "");
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        change({
          ...(actor.trim() === "" ? {} : { actor: actor.trim() }),
          ...(objectId.trim() === "" ? {} : { objectId: objectId.trim() }),
        });
      }}
    >
      <input
        aria-label={words.actor}
        placeholder={words.actor}
        maxLength={100}
        value={actor}
        onChange={(event) => setActor(event.target.value)}
      />
      <input
        aria-label={words.objectId}
        placeholder={words.objectId}
        maxLength={64}
        value={objectId}
        onChange={(event) => setObjectId(event.target.value)}
      />
      <button type="submit">{words.search}</button>
      {hasFilter(filters) && (
        <button type="button" className="quiet" onClick={() => change({})}>
          {words.clear}
        </button>
      )}
    </form>
  );
}
