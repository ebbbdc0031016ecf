import { PageTitle } from "../../parts/page-title.tsx";
import { texts } from "../../texts/texts.ts";
import { Clock } from "./clock.tsx";
import { Inbound } from "./inbound.tsx";
import { Rails } from "./rails.tsx";
import { Tabs } from "./tabs.tsx";

/** Makes something happen: money comes in, a rail has an outage, a day passes. */
export function Simulator() {
  return (
    <div className="body">
      <PageTitle text={texts.simulator.title} />
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
