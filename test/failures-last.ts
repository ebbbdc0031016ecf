/** Lists the cases that failed, each with its reason, at the end: often only the end of a long run's log is kept. */
import type { Reporter, TestModule } from "vitest/node";

const maxCases = 20;
const maxReason = 240;

export class FailuresLast implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = failuresOf(modules);
    if (lines.length === 0) return;
    const left = lines.length - maxCases;
    const more = left > 0 ? [`and ${String(left)} more`] : [];
    process.stdout.write(`Failed:\n${[...lines.slice(0, maxCases), ...more].join("\n")}\n`);
  }
}

function failuresOf(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => {
    const file = module.relativeModuleId;
    const ofFile = module.errors().map(({ message }) => `${file}: ${reason(message)}`);
    const ofSuites = [...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map(({ message }) => `${file}: ${suite.fullName}: ${reason(message)}`),
    );
    const ofCases = [...module.children.allTests("failed")].map(
      (test) => `${file}: ${test.fullName}: ${reason(test.result().errors?.[0]?.message ?? "")}`,
    );
    return [...ofFile, ...ofSuites, ...ofCases];
  });
}

const reason = (message: string) => message.replaceAll(/\s+/gu, " ").slice(0, maxReason);
