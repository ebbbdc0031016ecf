import type { ReactNode } from "react";

interface EmptyListProps {
  readonly title: string;
  readonly text: string;
  /** What the reader can do next, if anything. */
  readonly children?: ReactNode;
}

/** Stands in the place of a list without items, and says why there are none. */
export function EmptyList({ title, text, children }: EmptyListProps) {
  return (
    <div className="card empty">
      <b>{title}</b>
      <p>{text}</p>
      {children}
    </div>
  );
}

interface FilteredWords {
  readonly title: string;
  readonly text: string;
  readonly filtered: string;
  readonly filteredText: string;
}

/** Says either that nothing exists yet, or that nothing matches the filters. */
export function whyEmpty(words: FilteredWords, isFiltered: boolean): { title: string; text: string } {
  return isFiltered
    ? { title: words.filtered, text: words.filteredText }
    : { title: words.title, text: words.text };
}
