import { mode } from "../book.ts";
import { Link } from "@tanstack/react-router";
import { texts } from "../texts/texts.ts";

const { word, sentence } = texts.shell.test;

/** Stands over everything in Test. Live has none: there the tenant's line says LIVE. */
export function TestBar({ maySimulate = false }: { maySimulate?: boolean }) {
  if (mode !== "Test") return null;
  return (
    <aside className="test-bar" aria-label={texts.shell.book.Test}>
      <b>{word}</b>
      <span className="wide">{sentence}</span>
      {maySimulate && (
        <Link className="wide" to="/simulator">
          {texts.simulator.open}
        </Link>
      )}
    </aside>
  );
}
