/**
 * The button "Free space". It asks the person and then deletes old backups on the store's disk, or it shows that there
 * is nothing to delete.
 */
import { useState } from "preact/hooks";
import type { SpaceRecord } from "../records/space.js";
import { call } from "./api.js";
import { Ask, type Question } from "./ask.js";
import { permitted } from "./permitted.js";
import { useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";

export function FreeSpace({ changed, filled }: { readonly changed: () => void; readonly filled: string }) {
  const speech = useSpeech();
  const { say, language } = speech;
  const [question, setQuestion] = useState<Question>();
  const [message, setMessage] = useState("");
  const { busy, problem, run } = useAction(changed);
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20).toLocaleString(language);
  const deleteBackups = (pin: string) =>
    run(async () => {
      const body = pin === "" ? {} : { pin };
      const { free } = await permitted(speech, () =>
        call<SpaceRecord>("/console/space/free", { method: "POST", body }),
      );
      setMessage(say("spaceFreed", { free: free === null ? "?" : mebibytes(free) }));
    });
  const look = () =>
    run(async () => {
      setMessage("");
      const { folder, backups, bytes, asksPin } = await call<SpaceRecord>("/console/space");
      if (backups === 0) {
        setMessage(say("nothingToDelete", { folder }));
        return;
      }
      setQuestion({
        title: say("deleteBackupsAsk", { n: backups }),
        means: say("deleteBackupsMeans", { size: mebibytes(bytes) }),
        answer: say("deleteBackups"),
        act: deleteBackups,
        asksPin,
      });
    });
  return (
    <div class="actions">
      <button type="button" class={filled} disabled={busy} onClick={look}>
        {say("freeSpace")}
      </button>
      <p role="status">{message}</p>
      <Problem text={problem} />
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
    </div>
  );
}
