import { Controller } from "@nestjs/common";
import { InquireInstruction, SubmitInstruction } from "../../contracts/messages/rails.ts";
import { Consumes } from "../platform/messaging/decorators.ts";
import type { Unit } from "../platform/messaging/unit.ts";
import { type Inquiry, Rails, type Submission } from "./rail-adapter.ts";

/** Hands instructions and inquiries to the adapter of their mode. */
@Controller()
export class AcceptInstruction {
  readonly #rails: Rails;

  constructor(rails: Rails) {
    this.#rails = rails;
  }

  /** A Live instruction finds no adapter: it fails alone and is dead-lettered; the rest of its batch goes on. */
  @Consumes(SubmitInstruction)
  async submit(submissions: readonly Submission[], unit: Unit): Promise<void> {
    const byMode = Map.groupBy(submissions, ({ data }) => data.mode);
    for (const [mode, own] of byMode) await this.#rails.of(mode).submit(own, unit);
  }

  @Consumes(InquireInstruction)
  async inquire(inquiries: readonly Inquiry[], unit: Unit): Promise<void> {
    for (const adapter of this.#rails.all()) await adapter.inquire(inquiries, unit);
  }
}
