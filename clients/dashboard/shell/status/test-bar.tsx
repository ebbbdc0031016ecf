import { mode } from "../../book.ts";
import { Link } from "@tanstack/react-router";
import { shellTexts } from "../../texts/shell.ts";
import { simulatorTexts } from "../../texts/simulator.ts";

const { word, sentence } = shellTexts.test;

/** Stands over everything in Test. Live has none: there the tenant's line says LIVE. */
export function TestBar({ maySimulate = false }: { maySimulate?: boolean }) {
  if (mode !== "Test") return null;
  return (
    <aside className="test-bar" aria-label={shellTexts.book.Test}>
      <b>{word}</b>
      <span className="wide">{sentence}</span>
      {maySimulate && (
        <Link className="wide" to="/simulator">
          {simulatorTexts.open}
        </Link>
      )}
    </aside>
  );
}
