import { setTimeout as pause } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { TenantId } from "../../../contracts/ids/ids.ts";
import { Turns } from "../../platform/handlers/turns.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { KnownSession } from "../auth/domain/caller.ts";
import { RateLimits } from "../auth/rate-limit.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { changePassword, type NewPassword } from "./change-password.ts";
import { tryPassword } from "./passwords.ts";
import { lockPersonByEmail } from "./store/people.ts";
import { type SignedIn, type SignIn, startSession } from "./start-session.ts";

/** Longer than any failure takes, so that the time of an answer does not tell why the sign-in failed. */
const failureMs = 400;
/** Each keeps a core and a connection busy for about 30 ms; the others wait for their turn. */
const atOnce = 3;

const afterTenFailures = "After ten failures in an hour, wait an hour or ask an admin for help.";

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Everything that takes a password: sign-ins, and the change of one's own. */
@Injectable()
export class PasswordSignIn {
  readonly #units: UnitOfWorkRunner;
  readonly #limits: RateLimits;
  readonly #providers: GatewayConfig["IDENTITY_PROVIDERS"];
  readonly #turns = new Turns<string>({ total: atOnce });

  constructor(
    @Inject(UnitOfWorkRunner) units: UnitOfWorkRunner,
    @Inject(RateLimits) limits: RateLimits,
    @Inject(GATEWAY_CONFIG) { IDENTITY_PROVIDERS }: GatewayConfig,
  ) {
    this.#units = units;
    this.#limits = limits;
    this.#providers = IDENTITY_PROVIDERS;
  }

  /**
   * Refusals: `sign_in_failed` with one text and after the same time, whether there is no such person, the password is
   * wrong, it was tried too often, the person is suspended, or their company has a provider; `rate_limited` for an
   * address that guesses.
   */
  async signIn({ email, password }: Credentials, how: SignIn): Promise<SignedIn> {
    const signedIn = await this.#attempt(email, how, async (unit) => {
      const found = await lockPersonByEmail(unit.sql, email);
      const person = found !== undefined && this.#hasProvider(found) ? undefined : found;
      const isRight = await tryPassword(unit.sql, person, password, { from: how.from, details: {} });
      return person !== undefined && isRight ? startSession(unit, person, "Password", how) : undefined;
    });
    if (signedIn !== undefined) return signedIn;
    throw new Refusal("sign_in_failed", `Check the email and the password. ${afterTenFailures}`);
  }

  /** Ends every session of the person, and starts a new one. Refusals: `sign_in_failed`, `rate_limited`. */
  async change(session: KnownSession, passwords: NewPassword, how: SignIn): Promise<SignedIn> {
    const { person, email } = session;
    if (this.#hasProvider(session)) {
      throw new Refusal(
        "sign_in_failed",
        "Change your password at your company's provider: there is none here.",
      );
    }
    const changed = await this.#attempt(email, how, (unit) => changePassword(unit, person, passwords, how));
    if (changed !== undefined) return changed;
    throw new Refusal("sign_in_failed", `Send your current password as currentPassword. ${afterTenFailures}`);
  }

  /** Those people sign in at the provider only: a person who leaves the company keeps no password here (ADR 36). */
  #hasProvider({ tenant }: { readonly tenant: TenantId }): boolean {
    return Object.hasOwn(this.#providers, tenant);
  }

  async #attempt(
    email: string,
    { from }: SignIn,
    attempt: (unit: UnitOfWork) => Promise<SignedIn | undefined>,
  ): Promise<SignedIn | undefined> {
    const began = performance.now();
    const result = await this.#limits.countUnlessRight(from.address ?? "", () =>
      this.#turns.run(email.toLowerCase(), () => this.#units.run(attempt)),
    );
    if (result === undefined) await pause(Math.max(0, began + failureMs - performance.now()));
    return result;
  }
}
