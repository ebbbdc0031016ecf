import { Controller } from "@nestjs/common";
import {
  InquireInstruction,
  InstructionUnknown,
  SubmitInstruction,
} from "../../../contracts/messages/rails.ts";
import { Consumes } from "../../platform/handlers/decorators.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type Inquiry, RailAdapters, type Submission } from "./rail-adapter.ts";

/** Passes instructions and inquiries to the rail adapter of their mode. */
@Controller()
export class RouteInstructions {
  readonly #adapters: RailAdapters;

  constructor(adapters: RailAdapters) {
    this.#adapters = adapters;
  }

  /**
   * A Live instruction has no adapter here: it alone fails and is dead-lettered. A Live inquiry gets no answer, because
   * another process may know the order, and after `InstructionUnknown` orders submits it again. An inquiry without a
   * mode, which orders of the previous release send, goes to every adapter.
   */
  @Consumes(SubmitInstruction, InquireInstruction)
  async route(messages: readonly (Submission | Inquiry)[], unit: UnitOfWork): Promise<void> {
    const submissions = messages.filter(isSubmission);
    const inquiries = messages.filter((message) => !isSubmission(message));
    const modes = new Set(submissions.map(({ data }) => data.mode));
    for (const mode of modes) this.#adapters.of(mode);
    let unknown = inquiries.filter(({ data }) => data.mode === undefined || this.#adapters.has(data.mode));
    for (const [mode, adapter] of this.#adapters.all()) {
      const own = submissions.filter(({ data }) => data.mode === mode);
      const asked = inquiries.filter(({ data }) => data.mode === undefined || data.mode === mode);
      const unknownHere = new Set(await adapter.take({ submissions: own, inquiries: asked }, unit));
      unknown = unknown.filter((inquiry) => !asked.includes(inquiry) || unknownHere.has(inquiry));
    }
    for (const inquiry of unknown) {
      const { book, subject, data } = inquiry;
      unit.outbox.add(InstructionUnknown, { book, subject, data: { orderId: data.orderId }, cause: inquiry });
    }
  }
}

function isSubmission(message: Submission | Inquiry): message is Submission {
  return message.type === SubmitInstruction.type;
}
