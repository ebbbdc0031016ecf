import { describe, expect, it } from "vitest";
import { nextTraceparent } from "./traceparent.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

describe("the traceparent of the next hop", () => {
  it.each(["00", "01"])("has the same trace, a new span and the flags %s", (flags) => {
    const next = nextTraceparent(`00-${trace}-${span}-${flags}`);
    expect(next).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-${flags}$`));
    expect(next).not.toContain(span);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${trace}-${span}`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `ff-${trace}-${span}-01`,
    `00-${trace}-${span}-01-more`,
  ])("begins a new trace after %j", (parent) => {
    const next = nextTraceparent(parent);
    expect(next).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(next).not.toContain(trace);
  });
});
