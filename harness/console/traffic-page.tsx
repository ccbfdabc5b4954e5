/** Shows the traffic of the emulator's service. A person can save the traffic as a scenario. */

import type { RecordingRecord } from "../../emulator/world/card-types.js";
import { call } from "../../src/console/web/api.js";
import { TrafficPage } from "../../src/console/web/traffic.js";
import { download } from "../../src/console/web/ui.js";
import { useEmulatorSpeech } from "./texts.js";

/** Shows the page. @param control address of the control interface */
export function TrafficOfEmulator({ control, id }: { readonly control: string; readonly id: string }) {
  const { say } = useEmulatorSpeech();
  const url = `${control}/traffic`;
  const save = async () => {
    const { name, scenario } = await call<RecordingRecord>(`${control}/recording`);
    download(`${name}.yaml`, new Blob([scenario], { type: "application/yaml" }));
  };
  const forget = async () => {
    await call(url, { method: "DELETE" });
    await call(`${control}/recording`, { method: "DELETE" });
  };
  return (
    <TrafficPage
      id={id}
      url={url}
      notReached={say("controlNotReached", { url })}
      forgetText={say("forgetTraffic")}
      forget={forget}
      more={{ text: say("saveScenario"), act: save }}
    />
  );
}
