import { useState } from "react";
import { FilterChoice } from "../../parts/form/filter-choice.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";

const { filters: words } = webhookTexts;

const hourMs = 3_600_000;
const periods = [
  [words.lastHour, hourMs],
  [words.lastDay, 24 * hourMs],
  [words.lastWeek, 7 * 24 * hourMs],
] as const;

interface SinceProps {
  readonly value: string | undefined;
  readonly choose: (since: string | undefined) => void;
}

/** The address has the time itself, so that the next pages, and a colleague who opens it, show the same list. */
export function Since({ value, choose }: SinceProps) {
  const [openedAt] = useState(() => Date.now());
  const options = periods.map(([text, ms]) => [new Date(openedAt - ms).toISOString(), text] as const);
  const isListed = value === undefined || options.some(([since]) => since === value);
  const shown = isListed ? [] : [[value, words.since(new Date(value))] as const];
  return (
    <FilterChoice
      label={words.sinceLabel}
      any={words.anyTime}
      options={[...shown, ...options]}
      value={value}
      choose={choose}
    />
  );
}
