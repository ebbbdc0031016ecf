import { Menu } from "@base-ui/react/menu";
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, FlaskConical, Zap } from "lucide-react";
import { codesFor, returnReason, rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { PaymentOrder } from "../../../typescript/types.gen.ts";
import { useAwaySince } from "../../api/client/live.ts";
import { hasEnded, type Outcome, simulationOf, useSendAgain, useSimulate } from "../../api/orders/order.ts";
import { Card } from "../../parts/page/card.tsx";
import { CopyCurl } from "../../parts/copy/copy-curl.tsx";
import { FailureNote } from "../../parts/page/failure.tsx";
import { isReturnedLate } from "../../parts/values/order-status.tsx";
import { inWords } from "../../parts/values/in-words.ts";
import { orderPageTexts } from "../../texts/order.ts";
import { copyOf } from "./copy-of.ts";

const { simulator: words } = orderPageTexts;

/** Makes the rail of a test order settle, fail or return it; of one that has ended, a copy is sent. */
export function Simulator({ order }: { order: PaymentOrder }) {
  const title = (
    <>
      <FlaskConical aria-hidden className="test-icon" />
      {words.title}
    </>
  );
  return (
    <Card title={title} aside={words.aside}>
      <div className="simulator">{hasEnded(order) ? <Again order={order} /> : <Itself order={order} />}</div>
    </Card>
  );
}

function Itself({ order }: { order: PaymentOrder }) {
  const simulate = useSimulate(order);
  const isAway = useAwaySince() !== null;
  const { rail, direction } = order;
  const fails = codesFor(rail, direction, "fail");
  const returns = codesFor(rail, direction, "return");
  const choose = (outcome: Outcome) => simulate.mutate(outcome);
  return (
    <>
      <Buttons
        texts={[words.settle, words.fail]}
        fails={fails}
        returns={returns}
        returnText={words.returnWith}
        action="return"
        isHeld={simulate.isPending || isAway}
        choose={choose}
      />
      <p className="dim" aria-live="polite">
        {simulate.isPending && words.asking}
        {simulate.isSuccess && words.effects[simulate.data.effect]}
        {simulate.isIdle && words.itself}
      </p>
      {simulate.isError && <FailureNote error={simulate.error} />}
      <Curls
        id={order.id}
        outcomes={[
          { action: "settle" },
          outcomeOf("fail", fails),
          ...(returns.length === 0 ? [] : [outcomeOf("return", returns)]),
        ]}
      />
    </>
  );
}

/** A completed order can still be returned late. A copy can have every outcome of a new order. */
function Again({ order }: { order: PaymentOrder }) {
  const copy = copyOf(order);
  const send = useSendAgain(order, copy);
  const late = useSimulate(order);
  const isAway = useAwaySince() !== null;
  const navigate = useNavigate();
  const { rail, direction, status } = order;
  const mayReturn = status === "Completed" && !isReturnedLate(order);
  const lateCodes = mayReturn ? codesFor(rail, direction, "late-return") : [];
  const choose = (outcome: Outcome) =>
    send.mutate(outcome, { onSuccess: (id) => void navigate({ to: "/orders/$id", params: { id } }) });
  return (
    <>
      {lateCodes.length > 0 && (
        <WithCodes
          codes={lateCodes}
          text={words.lateReturnWith}
          isHeld={late.isPending || isAway}
          choose={(code) => late.mutate({ action: "late-return", code })}
        />
      )}
      {copy !== undefined && (
        <Buttons
          texts={[words.again.settle, words.again.fail]}
          fails={codesFor(rail, direction, "fail")}
          returns={codesFor(rail, direction, "return")}
          returnText={words.again.returnWith}
          action="return"
          isHeld={send.isPending || isAway}
          choose={choose}
        />
      )}
      <p className="dim" aria-live="polite">
        {send.isPending || late.isPending ? words.asking : copy === undefined ? words.noCopy : words.copy}
      </p>
      {send.isError && <FailureNote error={send.error} />}
      {late.isError && <FailureNote error={late.error} />}
      {lateCodes.length > 0 && <Curls id={order.id} outcomes={[outcomeOf("late-return", lateCodes)]} />}
    </>
  );
}

interface ButtonsProps {
  readonly texts: readonly [settle: string, fail: string];
  readonly fails: readonly string[];
  readonly returns: readonly string[];
  readonly returnText: (code: string) => string;
  readonly action: "return";
  /** While it is asked, and while the page does not follow its book. */
  readonly isHeld: boolean;
  readonly choose: (outcome: Outcome) => void;
}

function Buttons({
  texts: [settle, fail],
  fails,
  returns,
  returnText,
  action,
  isHeld,
  choose,
}: ButtonsProps) {
  return (
    <>
      <div className="actions">
        <button
          type="button"
          className="primary"
          disabled={isHeld}
          onClick={() => choose({ action: "settle" })}
        >
          <Zap aria-hidden />
          {settle}
        </button>
        {fails.length === 0 ? (
          <button type="button" disabled={isHeld} onClick={() => choose({ action: "fail" })}>
            {fail}
          </button>
        ) : (
          <WithCodes
            codes={fails}
            text={(code) => `${fail} ${code}`}
            isHeld={isHeld}
            choose={(code) => choose({ action: "fail", code })}
          />
        )}
      </div>
      {returns.length > 0 && (
        <WithCodes
          codes={returns}
          text={returnText}
          isHeld={isHeld}
          choose={(code) => choose({ action, code })}
        />
      )}
    </>
  );
}

interface WithCodesProps {
  /** The first is the button's own. */
  readonly codes: readonly string[];
  readonly text: (code: string) => string;
  /** While it is asked, and while the page does not follow its book. */
  readonly isHeld: boolean;
  readonly choose: (code: string) => void;
}

/** A button for the usual code, and beside it a menu of all that this rail and direction allow. */
function WithCodes({ codes, text, isHeld, choose }: WithCodesProps) {
  const [usual = ""] = codes;
  return (
    <span className="split">
      <button type="button" disabled={isHeld} onClick={() => choose(usual)}>
        {text(usual)}
      </button>
      <Menu.Root>
        <Menu.Trigger disabled={isHeld} aria-label={`${text(usual)}: ${words.otherCode}`}>
          <ChevronDown aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="menu-layer" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              {codes.map((code) => (
                <Menu.Item className="menu-item" key={code} onClick={() => choose(code)}>
                  <span className="mono">{code}</span> {rtpRejectCodes[code] ?? inWords(returnReason(code))}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  );
}

/** Each of these outcomes as a curl command. */
function Curls({ id, outcomes }: { id: string; outcomes: readonly Outcome[] }) {
  return (
    <div className="actions curls">
      {outcomes.map((outcome) => (
        <CopyCurl
          key={outcome.action}
          request={simulationOf(id, outcome)}
          text={words.curl(outcome.action)}
        />
      ))}
    </div>
  );
}

/** With the usual code, if the rail has codes. */
function outcomeOf(action: Outcome["action"], [code]: readonly string[]): Outcome {
  return code === undefined ? { action } : { action, code };
}
