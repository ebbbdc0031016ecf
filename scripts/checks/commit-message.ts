/** `area: imperative`, at most 72 characters, and a body that says why. */

const areas = [
  "ledger",
  "orders",
  "webhooks",
  "rails-simulator",
  "api-gateway",
  "platform",
  "contracts",
  "clients",
  "dashboard",
  "scripts",
  "deploy",
  "bench",
  "test",
  "docs",
  "build",
] as const;

const maxSubject = 72;
const maxBodyColumns = 120;
/** Verbs whose imperative looks like a past tense or a plural. */
const imperatives =
  /^(bring|string|ping|need|embed|feed|seed|speed|exceed|proceed|shed|pass|process|address|focus|discuss|bypass|compress|express|suppress|press|miss|guess|access|cross|assess|toss)$/;
const otherForms = /(ing|ed|s)$/;
const nouns = /^(the|a|an|no|what|that|which|when|where|how|some|all|each|every|it|we)$/;

/** The errors of a commit message, each with its remedy. Git's own messages (merge, revert, fixup) have none. */
export function checkCommitMessage(message: string): string[] {
  const [scissored = ""] = message.split(/^# -+ >8 -+$/m);
  const lines = scissored.split("\n").filter((line) => !line.startsWith("#"));
  const [subject = "", second = "", ...rest] = lines.join("\n").trim().split("\n");
  if (/^(Merge |Revert |fixup! |squash! |amend! )/.test(subject)) return [];
  return [...checkSubject(subject), ...checkBody(second, rest)];
}

function checkSubject(subject: string): string[] {
  const [, named, verb = ""] = /^([a-z-]+(?:, [a-z-]+)*): (\S+) \S/.exec(subject) ?? [];
  if (named === undefined)
    return [`write the subject as "area: imperative", such as "ledger: refuse unbalanced journals"`];
  const unknown = named.split(", ").filter((area) => !areas.some((known) => known === area));
  return [
    ...unknown.map((area) => `there is no area "${area}": use ${areas.join(", ")}`),
    ...(isImperative(verb)
      ? []
      : [`"${verb}" is not an imperative: begin with a verb such as add, name, refuse, move`]),
    ...(subject.endsWith(".") ? ["end the subject without a full stop"] : []),
    ...(subject.length > maxSubject
      ? [
          `the subject has ${String(subject.length)} characters, at most ${String(maxSubject)}: move the rest into the body`,
        ]
      : []),
  ];
}

function isImperative(verb: string): boolean {
  if (imperatives.test(verb)) return true;
  return /^[a-z][a-z-]*$/.test(verb) && !nouns.test(verb) && !otherForms.test(verb);
}

function checkBody(second: string, rest: readonly string[]): string[] {
  if (second !== "") return ["leave the line after the subject empty"];
  if (rest.join("").trim() === "") return ["add a body that says why, in one to three lines"];
  const long = rest.filter((line) => line.length > maxBodyColumns);
  return long.length === 0 ? [] : [`break the lines of the body at ${String(maxBodyColumns)} columns`];
}
