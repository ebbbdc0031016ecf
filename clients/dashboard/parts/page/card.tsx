import type { ReactNode } from "react";

interface CardProps {
  readonly title: ReactNode;
  /** A short remark at the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, aside, children }: CardProps) {
  return (
    <section className="card">
      <h2>
        {title}
        {aside !== undefined && <span className="aside">{aside}</span>}
      </h2>
      {children}
    </section>
  );
}

/** Terms and their values, in two columns. Rows without a value are left out. */
export function Details({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="details">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([term, value]) => (
          <DetailsRow key={term} term={term} value={value} />
        ))}
    </dl>
  );
}

function DetailsRow({ term, value }: { term: string; value: ReactNode }) {
  return (
    <>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </>
  );
}
