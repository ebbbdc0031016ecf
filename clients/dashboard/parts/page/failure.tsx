import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ApiProblem, problemOf } from "../../api/client/problem.ts";
import { PageTitle } from "./page-title.tsx";
import { failureTexts as failures } from "../../texts/shell.ts";

interface FailureProps {
  readonly error: unknown;
  readonly retry?: () => unknown;
  /** What else the person can do. */
  readonly children?: ReactNode;
}

/** One page for each kind of failure: refused, not found, and everything else with its request id. */
export function Failure({ error, retry, children }: FailureProps) {
  const problem = problemOf(error);
  if (problem.status === 404) return <NotFound />;
  if (problem.status === 401) return <Loading />;
  const title = problem.status === 403 ? failures.forbidden.title : problem.title;
  return (
    <section className="failure" role="alert">
      <h2>{title}</h2>
      <p>{problem.detail}</p>
      <RequestId problem={problem} />
      {problem.retryable && retry !== undefined && (
        <button type="button" onClick={() => void retry()}>
          {failures.tryAgain}
        </button>
      )}
      {children}
    </section>
  );
}

/** A failure inside a form or card, which stays. */
export function FailureNote({ error }: { error: unknown }) {
  const problem = problemOf(error);
  return (
    <div className="notice bad" role="alert">
      <div>
        <b>{problem.title}</b>
        <small>{problem.detail}</small>
        {problem.faults
          .filter(({ message }) => message !== problem.detail)
          .map(({ pointer, message }) => (
            <small key={pointer}>
              {pointer} {message}
            </small>
          ))}
        <RequestId problem={problem} />
      </div>
    </div>
  );
}

function RequestId({ problem }: { problem: ApiProblem }) {
  if (problem.requestId === null) return null;
  return (
    <small className="dim">
      {failures.requestId} <span className="mono">{problem.requestId}</span>
    </small>
  );
}

/** The page for an address that leads nowhere. */
export function NotFoundPage() {
  return (
    <>
      <PageTitle text={failures.notFound.title} />
      <NotFound />
    </>
  );
}

/** For a wrong id and for an object of another book: nobody learns which. */
function NotFound() {
  return (
    <section className="failure">
      <h2>{failures.notFound.title}</h2>
      <p>{failures.notFound.detail}</p>
      <Link className="button" to="/">
        {failures.home}
      </Link>
    </section>
  );
}

/** Keeps the layout; is shown after 150 ms, so that a quick answer makes nothing flicker. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <output className="skeleton" aria-label={failures.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <i key={line} />
      ))}
    </output>
  );
}
