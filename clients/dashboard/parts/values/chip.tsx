import type { ReactNode } from "react";

export type Tone = "plain" | "ok" | "warn" | "bad" | "info";

export function Chip({
  tone = "plain",
  big = false,
  children,
}: {
  tone?: Tone;
  big?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={["chip", tone === "plain" ? "" : tone, big ? "big" : ""].join(" ").trim()}>
      {children}
    </span>
  );
}
