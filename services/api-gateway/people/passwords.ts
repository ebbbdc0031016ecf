import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import type { Sql } from "../../platform/persistence/sql.ts";
import { networkOf } from "../auth/domain/address-blocks.ts";
import { normalizedPassword } from "./domain/password-rules.ts";
import {
  type AuditEntry,
  countFailedSignIns,
  type AuditSource,
  insertAuditEntry,
} from "../audit/store/audit.ts";
import type { Person } from "./store/people.ts";
import { listKnownAddresses } from "./store/sessions.ts";

/** Argon2id, the package's default, with OWASP's parameters: 19 MiB, two passes. About 30 ms of one core. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(normalizedPassword(password), parameters);
}

const decoy = hash(randomBytes(32), parameters);

/** Returns whether the password matches the hash. Without a hash it returns false after the same time. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? (await decoy), normalizedPassword(password));
  return matches && stored !== null;
}

const dayMs = 86_400_000;
const invitationDays = 7;

/** When a password that somebody else has set ends. Its person sets their own before that. */
export function invitationEnd(): Date {
  return new Date(Date.now() + invitationDays * dayMs);
}

/** A password that nobody has to invent: 120 random bits. */
export function mintPassword(): string {
  return randomBytes(15).toString("base64url");
}

/** Of one address, by IPv6 its /64. */
const maxFailuresPerHour = 10;
/** Of all addresses together. Only somebody with many addresses reaches it. */
const maxFailuresOfAll = 100;

interface Attempt {
  readonly from: AuditSource;
  readonly details: Readonly<Record<string, unknown>>;
  /** How many hashes are verified, however many people there are. Never fewer than the people. */
  readonly verifications: number;
}

/**
 * Returns the first of these people who is active and whose password this is, if it has not ended. If it is nobody's,
 * that is counted for each of them in the audit log, with these details; above the limit even the right one is refused.
 * The caller holds the people's locks, so attempts are counted one at a time. The time that it takes does not tell how
 * many people there are.
 */
export async function tryPassword(
  sql: Sql,
  people: readonly Person[],
  password: string,
  { from, details, verifications }: Attempt,
): Promise<Person | undefined> {
  const mayTry = await withTriesLeft(sql, people, from);
  const right = new Set<Person>();
  for (let index = 0; index < verifications; index += 1) {
    const person = people[index];
    const isRight = await isPassword(person?.passwordHash ?? null, password);
    if (person !== undefined && isRight && isInForce(person)) right.add(person);
  }
  const found = mayTry.find((person) => right.has(person));
  // Somebody's right password is no failure of the others: their admins would learn of it, and ten would lock them out.
  if (found !== undefined) return found;
  // Attempts above the limit are not counted: the hour would never end.
  for (const { id, tenant, principal: actor } of mayTry) {
    const entry: AuditEntry = {
      tenant,
      mode: null,
      actor,
      action: "SignInFailed",
      objectId: id,
      person: id,
      details,
    };
    await insertAuditEntry(sql, entry, from);
  }
  return undefined;
}

/**
 * Anybody who knows an email can send wrong passwords, but can't lock its person out: failures count by the address
 * that they come from. At an address where the person has signed in before, failures from elsewhere never count.
 */
async function withTriesLeft(
  sql: Sql,
  people: readonly Person[],
  { address }: AuditSource,
): Promise<Person[]> {
  const allFailed = await countFailedSignIns(
    sql,
    people.map(({ id }) => id),
  );
  const isHere = (other: string | null) => networkOf(other ?? "") === networkOf(address ?? "");
  const sum = (counted: typeof allFailed) => counted.reduce((total, { failures }) => total + failures, 0);
  const left: Person[] = [];
  for (const person of people) {
    const failed = allFailed.filter((each) => each.person === person.id);
    if (sum(failed.filter((each) => isHere(each.address))) >= maxFailuresPerHour) continue;
    const isOpen = sum(failed) < maxFailuresOfAll || (await listKnownAddresses(sql, person.id)).some(isHere);
    if (isOpen) left.push(person);
  }
  return left;
}

function isInForce({ active, tenantActive, passwordEndsAt }: Person): boolean {
  return active && tenantActive && (passwordEndsAt === null || passwordEndsAt > new Date());
}
