import { useState } from "react";
import type {
  Clock as BookClock,
  ClockAdvanceCreate,
  ClockMode,
  Rail,
} from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import {
  paths,
  useAdvanceClock,
  useClock,
  useClockAdvance,
  useSetClock,
} from "../../api/orders/simulator.ts";
import { Card } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { Failure, FailureNote, Loading } from "../../parts/page/failure.tsx";
import { instantOf } from "../../parts/form/day.ts";
import { ChoiceField, TextField } from "../../parts/form/field.tsx";
import { Moment } from "../../parts/values/moment.tsx";
import { orderTexts } from "../../texts/orders.ts";
import { simulatorTexts } from "../../texts/simulator.ts";

const { clock: words } = simulatorTexts;

const modes = ["Instant", "Real", "Manual"] as const satisfies readonly ClockMode[];

/** The book's own time: cutoffs, weekends and return windows without waiting for them. */
export function Clock() {
  const { data, isError, error, refetch } = useClock();
  return (
    <Card title={words.title}>
      {data === undefined && (isError ? <Failure error={error} retry={refetch} /> : <Loading lines={4} />)}
      {data !== undefined && (
        <div className="simulator">
          <p className="clock-now">
            <Moment at={data.now} />
          </p>
          <Mode key={data.mode} clock={data} />
          {data.mode === "Manual" && <Advance clock={data} />}
        </div>
      )}
    </Card>
  );
}

function Mode({ clock }: { clock: BookClock }) {
  const set = useSetClock();
  const isAway = useAwaySince() !== null;
  const [mode, setMode] = useState(clock.mode);
  return (
    <>
      <ChoiceField
        label={words.mode}
        hint={words.modes[mode]}
        options={modes.map((one) => [one, one] as const)}
        value={mode}
        change={setMode}
      />
      <div className="actions">
        <button
          type="button"
          disabled={mode === clock.mode || set.isPending || isAway}
          onClick={() => set.mutate({ mode })}
        >
          {words.set(mode)}
        </button>
        <CopyCurl request={{ method: "PUT", path: paths.clock, body: { mode } }} />
      </div>
      {set.isError && <FailureNote error={set.error} />}
    </>
  );
}

const steps = ["nextEvent", "nextBankingDay", "nextWindow", "to"] as const;
const railsWithWindows = ["Ach", "SameDayAch", "Wire"] as const satisfies readonly Rail[];

function Advance({ clock }: { clock: BookClock }) {
  const advance = useAdvanceClock();
  const isAway = useAwaySince() !== null;
  const [step, setStep] = useState<(typeof steps)[number]>("nextEvent");
  const [rail, setRail] = useState<(typeof railsWithWindows)[number]>("Ach");
  const [to, setTo] = useState("");
  const running = useClockAdvance(advance.data?.id ?? clock.advanceId);
  const instant = instantOf(to);
  const body: ClockAdvanceCreate | undefined = {
    nextEvent: { nextEvent: true as const },
    nextBankingDay: { nextBankingDay: true as const },
    nextWindow: { nextWindow: rail },
    to: instant === undefined ? undefined : { to: instant },
  }[step];
  const isRunning = running.data !== undefined && running.data.status !== "Done";
  return (
    <>
      <ChoiceField
        label={words.advance}
        options={steps.map((one) => [one, words.steps[one]] as const)}
        value={step}
        change={setStep}
      />
      {step === "nextWindow" && (
        <ChoiceField
          label={words.rail}
          options={railsWithWindows.map((one) => [one, orderTexts.rails[one]] as const)}
          value={rail}
          change={setRail}
        />
      )}
      {step === "to" && <TextField label={words.time} type="datetime-local" value={to} change={setTo} />}
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={body === undefined || advance.isPending || isRunning || isAway}
          onClick={() => body !== undefined && advance.mutate(body)}
        >
          {words.go}
        </button>
        {body !== undefined && <CopyCurl request={{ method: "POST", path: paths.advance, body }} />}
      </div>
      {advance.isError && <FailureNote error={advance.error} />}
      <p className="dim" aria-live="polite">
        {running.data?.status === "Running" && words.running(running.data.steps)}
        {running.data?.status === "Done" && words.arrived(running.data.steps)}
        {running.data?.status === "Stuck" && words.stuck(running.data.waitingFor ?? "")}
      </p>
    </>
  );
}
