import { problemOf } from "../../api/client/problem.ts";
import { useRails } from "../../api/orders/simulator.ts";
import { Failure } from "../../parts/page/failure.tsx";
import { PageTitle } from "../../parts/page/page-title.tsx";
import { simulatorTexts } from "../../texts/simulator.ts";
import { Clock } from "./clock.tsx";
import { Inbound } from "./inbound.tsx";
import { Rails } from "./rails.tsx";
import { Tabs } from "./tabs.tsx";

/** Makes something happen: money comes in, a rail has an outage, a day passes. */
export function Simulator() {
  const rails = useRails();
  // One refusal, instead of one in each card.
  if (rails.isError && problemOf(rails.error).status === 403) {
    return (
      <div className="body">
        <PageTitle text={simulatorTexts.title} />
        <Failure error={rails.error} />
      </div>
    );
  }
  return (
    <div className="body">
      <PageTitle text={simulatorTexts.title} />
      <Tabs />
      <div className="order-columns">
        <div className="column">
          <Rails />
          <Inbound />
        </div>
        <Clock />
      </div>
    </div>
  );
}
