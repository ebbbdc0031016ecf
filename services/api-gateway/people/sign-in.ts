import { setTimeout as pause } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { TenantId } from "../../../contracts/ids/ids.ts";
import { Turns } from "../../platform/handlers/turns.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import type { KnownSession } from "../auth/domain/caller.ts";
import { networkOf } from "../auth/domain/address-blocks.ts";
import { RateLimits } from "../auth/rate-limit.ts";
import { GATEWAY_CONFIG, type GatewayConfig } from "../config.ts";
import { changePassword, type NewPassword } from "./change-password.ts";
import { tryPassword } from "./passwords.ts";
import { lockPeopleOfEmail } from "./store/people.ts";
import { type SignedIn, type SignIn, startSession } from "./start-session.ts";

/** Longer than any failure takes, so that the time of an answer does not tell why the sign-in failed. */
const failureMs = 400;
/** Each keeps a core and a connection busy for about 150 ms; the others wait for their turn. */
const atOnce = 3;
/**
 * How many people of one email, of a tenant each, an attempt looks at. It always verifies as many hashes, so that its
 * time does not tell how many people there are (docs/adr/0039).
 */
const maxPeopleOfEmail = 5;

const afterTenFailures = "After ten failures in an hour, wait an hour or ask for the operator's help.";

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The tenant to sign in at. Without it, that of the person of this email whose password it is. */
  readonly tenant?: TenantId | undefined;
}

/** Everything that takes a password: sign-ins, and the change of one's own. */
@Injectable()
export class PasswordSignIn {
  readonly #units: UnitOfWorkRunner;
  readonly #limits: RateLimits;
  readonly #providers: GatewayConfig["IDENTITY_PROVIDERS"];
  readonly #turns = new Turns<string>({ perKey: 1, total: atOnce });
  /** Two attempts of an address at a time, so that many wrong ones from there delay nobody elsewhere. */
  readonly #turnsOfAddresses = new Turns<string>({ perKey: 2 });

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
   * address that guesses. If several people of the email have the password, it is the one who signed in last.
   */
  async signIn({ email, password, tenant }: Credentials, how: SignIn): Promise<SignedIn> {
    const limit = tenant === undefined ? maxPeopleOfEmail : 1;
    const exceptIn = Object.keys(this.#providers) as TenantId[];
    const signedIn = await this.#attempt(email, how, async (unit) => {
      const people = await lockPeopleOfEmail(unit.sql, email, { tenant, exceptIn, limit });
      const attempt = { from: how.from, details: {}, verifications: limit };
      const person = await tryPassword(unit.sql, people, password, attempt);
      return person && startSession(unit, person, "Password", how);
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
    const address = from.address ?? "";
    const result = await this.#limits.countWrongPasswords(address, () =>
      this.#turnsOfAddresses.run(networkOf(address), () =>
        this.#turns.run(email.toLowerCase(), () => this.#units.run(attempt)),
      ),
    );
    if (result === undefined) await pause(Math.max(0, began + failureMs - performance.now()));
    return result;
  }
}
