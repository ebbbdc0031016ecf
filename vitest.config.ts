import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { FailuresLast } from "./test/failures-last.ts";

/** These take longest, most of it waiting. They begin first, so that none runs alone at the end. */
const first = [
  "test/faults/outage",
  "test/faults/kill-one",
  "test/faults/",
  "test/browser/screens/screen-states",
  "test/browser/approvals/away",
  "test/browser/screens/live.",
  "test/browser/screens/books-states",
  "test/browser/",
];

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = first.findIndex((start) => moduleId.startsWith(start, import.meta.dirname.length + 1));
      return rank < 0 ? first.length : rank;
    };
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

// Nest resolves what to inject from `design:paramtypes`, so the transformer has to write the same decorator metadata as
// the build does.
const oxc = { decorator: { legacy: true, emitDecoratorMetadata: true } };

// Starts only for projects that have a file to run, so pure specs alone need no server.
const globalSetup = ["test/stack/servers/global-setup.ts"];

export default defineConfig({
  oxc,
  test: {
    environment: "node",
    // More than cores, because half of a test's time is waiting for a server; not many, because each may run a whole
    // service, and all have one Postgres.
    maxWorkers: Math.min(4, availableParallelism() + 2),
    // What a test waits for may take minutes on a slow machine (`patienceMs`).
    testTimeout: 150_000,
    hookTimeout: 150_000,
    // Vitest's own is a second, which a busy machine exceeds.
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: WaitingFirst },
    reporters: ["default", new FailuresLast()],
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          // Nothing pure keeps state, so the files may share their modules: twice as quick.
          isolate: false,
          include: ["{contracts,services,scripts,bench}/**/*.spec.ts", "test/*.spec.ts"],
          exclude: ["**/*.db.spec.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          // Nor does a module here keep what a test did: loading Nest and MikroORM took half of the CPU.
          isolate: false,
          include: ["{services,scripts,test/stack}/**/*.db.spec.ts"],
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: "journeys",
          isolate: false,
          include: ["test/{journeys,guides,browser}/**/*.spec.ts"],
          globalSetup: [...globalSetup, "test/world/system/shared-system.ts"],
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/*/**/*.spec.ts"],
          exclude: ["test/{stack,journeys,guides,browser}/**"],
          globalSetup,
          isolate: false,
          // Each file runs all five services, and some kill them or send all they can: two at a time, after all others.
          // With three, each takes as much longer as the third one saves.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
