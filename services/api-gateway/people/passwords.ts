import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import type { Sql } from "../../platform/persistence/sql.ts";
import { networkOf } from "../auth/domain/address-blocks.ts";
import { countFailedSignIns, type From, insertAuditEntry } from "./store/audit.ts";
import type { Person } from "./store/people.ts";
import { listKnownAddresses } from "./store/sessions.ts";

/** Argon2id, the package's default, with OWASP's parameters: 19 MiB, two passes. About 30 ms of one core. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** One text has one form however it was typed (NIST SP 800-63B, 3.1.1.2). */
const formOf = (password: string) => password.normalize("NFKC");

export function hashPassword(password: string): Promise<string> {
  return hash(formOf(password), parameters);
}

const decoy = hash(randomBytes(32), parameters);

/** Returns whether the password matches the hash. Without a hash it returns false after the same time. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? (await decoy), formOf(password));
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

/**
 * Returns whether the person is active and this is their password, which has not ended. A wrong password is counted in
 * the audit log, with these details; above the limit even the right one is refused. The caller holds the person's lock,
 * so attempts are counted one at a time. Without a person it returns false after the same time.
 */
export async function tryPassword(
  sql: Sql,
  person: Person | undefined,
  password: string,
  { from, details }: { readonly from: From; readonly details: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  const mayTry = person !== undefined && (await hasTriesLeft(sql, person, from));
  const isRight = await isPassword(person?.passwordHash ?? null, password);
  // Further attempts are not counted: the hour would never end.
  if (person === undefined || !mayTry) return false;
  if (isRight && isInForce(person)) return true;
  const { id, tenant, principal: actor } = person;
  const entry = { tenant, mode: null, actor, action: "SignInFailed", objectId: id, person: id, details };
  await insertAuditEntry(sql, entry, from);
  return false;
}

/**
 * Anybody who knows an email can send wrong passwords, but can't lock its person out: failures count by the address
 * that they come from. At an address where the person has signed in before, failures from elsewhere never count.
 */
async function hasTriesLeft(sql: Sql, { id }: Person, { address }: From): Promise<boolean> {
  const failed = await countFailedSignIns(sql, id);
  const isHere = (other: string | null) => networkOf(other ?? "") === networkOf(address ?? "");
  const sum = (counted: typeof failed) => counted.reduce((total, { failures }) => total + failures, 0);
  if (sum(failed.filter((each) => isHere(each.address))) >= maxFailuresPerHour) return false;
  return sum(failed) < maxFailuresOfAll || (await listKnownAddresses(sql, id)).some(isHere);
}

function isInForce({ active, tenantActive, passwordEndsAt }: Person): boolean {
  return active && tenantActive && (passwordEndsAt === null || passwordEndsAt > new Date());
}
