import { Controller } from "@nestjs/common";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type Inquiry, Rails, type Submission } from "./rail-adapter.ts";

/** Hands instructions and inquiries to the adapter of their mode. */
@Controller()
export class AcceptInstruction {
  readonly #rails: Rails;

  constructor(rails: Rails) {
    this.#rails = rails;
  }

  /**
   * A Live instruction finds no adapter: it fails alone and is dead-lettered; the rest of its batch goes on. An inquiry
   * does not say its mode, so every adapter hears it.
   */
  @Consumes(SubmitInstruction, InquireInstruction)
  async accept(events: readonly (Submission | Inquiry)[], unit: UnitOfWork): Promise<void> {
    const submissions = events.filter(isSubmission);
    const inquiries = events.filter((event) => !isSubmission(event));
    const modes = new Set(submissions.map(({ data }) => data.mode));
    for (const mode of modes) this.#rails.of(mode);
    for (const [mode, adapter] of this.#rails.all()) {
      const own = submissions.filter(({ data }) => data.mode === mode);
      await adapter.take({ submissions: own, inquiries }, unit);
    }
  }
}

function isSubmission(event: Submission | Inquiry): event is Submission {
  return event.type === SubmitInstruction.type;
}
