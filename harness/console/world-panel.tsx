/** Panel with snapshots, restarts of the service, and a reset to the start. */
import { useState } from "preact/hooks";
import type { StoreRecord } from "../../emulator/world/card-types.js";
import { fileOf, sendFile, useLive } from "../../src/console/web/api.js";
import { download, Panel } from "../../src/console/web/ui.js";
import { Act, Button } from "./card-actions.js";
import { useControls, useErasing } from "./control.js";
import { useEmulatorSpeech } from "./texts.js";

const SUFFIX = ".tillseal-snapshot";

/** Makes the name of a snapshot from the name of its file: `my day (1).tillseal-snapshot` becomes `my-day-1-`. */
function nameOf({ name }: File): string {
  const plain = name.replace(new RegExp(`${SUFFIX.replace(".", "\\.")}$`), "");
  return plain.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 64) || "snapshot";
}

export function WorldPanel() {
  const { say } = useEmulatorSpeech();
  const { url, act, run } = useControls();
  const snapshots = useLive<string[]>(`${url}/snapshots`).value ?? [];
  const store = useLive<StoreRecord>(`${url}/store`).value;
  const erasing = useErasing();
  const [name, setName] = useState("");
  const fileAt = (snapshot: string) => `${url}/snapshots/${encodeURIComponent(snapshot)}/file`;
  return (
    <Panel title={say("world")}>
      {store && <p>{say("stored", { complete: store.complete, open: store.open, lost: store.lost })}</p>}
      <form
        class="value"
        onSubmit={(event) => {
          event.preventDefault();
          act("PUT", `/snapshots/${encodeURIComponent(name)}`);
          setName("");
        }}
      >
        <label>
          {say("snapshotName")}
          <input
            required
            pattern="[A-Za-z0-9._\-]{1,64}"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit">{say("takeSnapshot")}</button>
      </form>
      <ul class="entries">
        {snapshots.map((snapshot) => (
          <li key={snapshot}>
            <span class="grow">{snapshot}</span>
            <Button
              text={say("saveFile")}
              about={snapshot}
              act={() => run(async () => download(`${snapshot}${SUFFIX}`, await fileOf(fileAt(snapshot))))}
            />
            <Button
              text={say("restore")}
              about={snapshot}
              act={() => erasing(() => act("POST", `/snapshots/${encodeURIComponent(snapshot)}/restore`))}
            />
          </li>
        ))}
      </ul>
      <label>
        {say("loadSnapshot")}
        <input
          type="file"
          accept={SUFFIX}
          onChange={({ currentTarget: input }) => {
            const [file] = input.files ?? [];
            if (file) run(() => sendFile(fileAt(nameOf(file)), file));
            // We empty the field, because choosing the same file again would cause no change event.
            input.value = "";
          }}
        />
      </label>
      <div class="row">
        <Act text="restartClean" step={{ service: "restart" }} />
        <Act text="restartKilled" step={{ service: "kill" }} />
        <Button text={say("toStart")} act={() => erasing(() => act("POST", "/reset"))} />
      </div>
    </Panel>
  );
}
