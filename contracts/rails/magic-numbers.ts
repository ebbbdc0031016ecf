import { Refusal } from "../errors.ts";
import { codesFor } from "./return-codes.ts";
import type { OrderDirection, Rail } from "./rails.ts";

/** The behaviour of a rail that a Test payment requests by its counterparty's account number. */
export type MagicScenario =
  | { readonly kind: "ReturnBeforeSettlement"; readonly code: string }
  | { readonly kind: "LateReturn"; readonly code: string }
  | { readonly kind: "Reject"; readonly code: string }
  | { readonly kind: "TimeoutThenSettle" };

const magicNumber = /^(?:(?<family>100|200)0(?<returnCode>\d\d)|3004(?<rejectCode>\d\d)|(?<timeout>400000))$/;

/** Six digits with these beginnings are the sandbox's own: one that means nothing is a mistyped magic number. */
const reservedNumber = /^[1-4]00\d{3}$/;

/**
 * The scenario that a magic account number requests in a Test book, or null for an ordinary number: `100001`–`100085`
 * returns before settlement with R01–R85, `200001`–`200085` returns after it, `300403` … rejects with AC03 …, and
 * `400000` times out and settles after an inquiry. `rejectImpossibleScenario` checks that the rail has the code. Book
 * and Usdc have no magic numbers, because they name account ids and wallets instead.
 */
export function magicScenario(accountNumber: string, rail: Rail): MagicScenario | null {
  if (rail === "Book" || rail === "Usdc") return null;
  const match = magicNumber.exec(accountNumber)?.groups;
  if (match === undefined) return null;
  if (match["timeout"] !== undefined) return { kind: "TimeoutThenSettle" };
  if (match["rejectCode"] !== undefined) return { kind: "Reject", code: `AC${match["rejectCode"]}` };
  const number = Number(match["returnCode"]);
  if (number < 1 || number > 85) return null;
  const code = `R${match["returnCode"]}`;
  return match["family"] === "100" ? { kind: "ReturnBeforeSettlement", code } : { kind: "LateReturn", code };
}

/** True when a number with these last four digits can be magic. All others need no decryption. */
export function canBeMagic(last4: string): boolean {
  return last4.startsWith("00") || last4.startsWith("04");
}

/** The codes that are possible on that rail and direction; null when the scenario's own code is one of them. */
export function alternativeCodes(
  scenario: MagicScenario,
  rail: Rail,
  direction: OrderDirection,
): readonly string[] | null {
  if (scenario.kind === "TimeoutThenSettle") return null;
  const possible = codesFor(rail, direction, scenario.kind === "Reject" ? "fail" : "return");
  return possible.includes(scenario.code) ? null : possible;
}

/**
 * Refuses the submission of a Test order whose account number is a mistyped magic number, or requests a code that its
 * rail and direction do not have. A tester would otherwise take a payment that settles for one that was to fail.
 * Refusals: `simulation_not_applicable`, which names the possible codes.
 */
export function rejectImpossibleScenario(accountNumber: string, rail: Rail, direction: OrderDirection): void {
  if (rail === "Book" || rail === "Usdc") return;
  const scenario = magicScenario(accountNumber, rail);
  if (scenario === null) return rejectMistyped(accountNumber, rail, direction);
  if (scenario.kind === "TimeoutThenSettle") return;
  const possible = alternativeCodes(scenario, rail, direction);
  if (possible === null) return;
  const detail = `The account number requests ${scenario.code}, which is not possible for a ${direction} over ${rail}. ${describeCodes(possible)}`;
  const code = "simulation_not_applicable";
  throw new Refusal(code, detail, {
    errors: [{ pointer: "/counterpartyAccountNumber", code, message: detail }],
    context: { rail, direction, code: scenario.code, allowedCodes: possible },
  });
}

function rejectMistyped(accountNumber: string, rail: Rail, direction: OrderDirection): void {
  if (!reservedNumber.test(accountNumber)) return;
  const code = "simulation_not_applicable";
  const detail =
    "Account numbers of six digits that begin with 100, 200, 300 or 400 are the sandbox's, and this one has no meaning. Send 100001 to 100085 for a return with R01 to R85, 200001 to 200085 for a late return, 300403, 300404 … for a reject with AC03, AC04 …, 400000 for a time-out, or an account number of another form.";
  throw new Refusal(code, detail, {
    errors: [{ pointer: "/counterpartyAccountNumber", code, message: detail }],
    context: { rail, direction },
  });
}

/** Names the possible codes in a refusal. */
export function describeCodes(possible: readonly string[]): string {
  return possible.length === 0 ? "No code is possible there." : `Possible codes: ${possible.join(", ")}.`;
}
