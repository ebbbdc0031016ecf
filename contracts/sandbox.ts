import { Refusal } from "./errors.ts";
import { codesFor } from "./rails/return-codes.ts";
import type { OrderDirection, Rail } from "./rails/rails.ts";

/** What a rail does with a Test payment, asked for by the counterparty's account number. */
export type MagicScenario =
  | { readonly kind: "ReturnBeforeSettlement"; readonly code: string }
  | { readonly kind: "LateReturn"; readonly code: string }
  | { readonly kind: "Reject"; readonly code: string }
  | { readonly kind: "TimeoutThenSettle" };

const magicNumber = /^(?:(?<family>100|200)0(?<returnCode>\d\d)|3004(?<rejectCode>\d\d)|(?<timeout>400000))$/;

/**
 * What a magic counterparty account number of a Test book asks of its rail, or null for a number that is just a
 * number: `100001`–`100085` returns before settlement with R01–R85, `200001`–`200085` returns late, `300403` …
 * rejects with AC03 …, `400000` times out and settles once inquired. Whether the code can happen there is another
 * question: `refuseImpossibleScenario`. Book has account ids and Usdc has wallets there: nothing is magic in them.
 */
export function magicScenario(accountNumber: string, rail: Rail): MagicScenario | null {
  if (rail === "Book" || rail === "Usdc") return null;
  const asked = magicNumber.exec(accountNumber)?.groups;
  if (asked === undefined) return null;
  if (asked["timeout"] !== undefined) return { kind: "TimeoutThenSettle" };
  if (asked["rejectCode"] !== undefined) return { kind: "Reject", code: `AC${asked["rejectCode"]}` };
  const number = Number(asked["returnCode"]);
  if (number < 1 || number > 85) return null;
  const code = `R${asked["returnCode"]}`;
  return asked["family"] === "100" ? { kind: "ReturnBeforeSettlement", code } : { kind: "LateReturn", code };
}

/** Whether a number with these last four can be magic: one that can't need not be unsealed to look. */
export function canBeMagic(last4: string): boolean {
  return last4.startsWith("00") || last4.startsWith("04");
}

/** The codes that can happen in the scenario's place on that rail and direction; null when its own is one of them. */
export function codesInsteadOf(
  scenario: MagicScenario,
  rail: Rail,
  direction: OrderDirection,
): readonly string[] | null {
  if (scenario.kind === "TimeoutThenSettle") return null;
  const possible = codesFor(rail, direction, scenario.kind === "Reject" ? "fail" : "return");
  return possible.includes(scenario.code) ? null : possible;
}

/**
 * Refuses, at submission in a Test book, a magic account number whose code can't happen on that rail and direction.
 * @throws Refusal `simulation_not_applicable`, naming the codes that can.
 */
export function refuseImpossibleScenario(accountNumber: string, rail: Rail, direction: OrderDirection): void {
  const scenario = magicScenario(accountNumber, rail);
  if (scenario === null || scenario.kind === "TimeoutThenSettle") return;
  const possible = codesInsteadOf(scenario, rail, direction);
  if (possible === null) return;
  throw new Refusal(
    "simulation_not_applicable",
    `The account number asks for ${scenario.code}, which can't happen on a ${direction} over ${rail}. ${codesSentence(possible)}`,
    { context: { rail, direction, code: scenario.code, allowedCodes: possible } },
  );
}

/** How a refusal names the codes that can happen. */
export function codesSentence(possible: readonly string[]): string {
  return possible.length === 0 ? "No code can happen there." : `These can: ${possible.join(", ")}.`;
}
