/**
 * Shows the folder for backups, tries a folder, and shows the line for the file of the settings that sets this folder,
 * because the console cannot set a folder.
 */
import { useState } from "preact/hooks";
import type { TriedFolderRecord } from "../records/space.js";
import { call } from "./api.js";
import { type Speech, useSpeech } from "./texts.js";
import { Problem, useAction } from "./ui.js";
import { usePermit } from "./use-permit.js";

/** @param folder the folder for backups that is in use; null if there is none */
export function BackupFolder({ folder }: { readonly folder: string | null }) {
  const speech = useSpeech();
  const { say } = speech;
  const [typed, setTyped] = useState(folder ?? "");
  const [tried, setTried] = useState<TriedFolderRecord>();
  const { busy, problem, run } = useAction();
  const { permit, dialog } = usePermit();
  const attempt = () =>
    run(async () => {
      setTried(undefined);
      const path = "/console/backups/try";
      setTried(
        await permit((pin) => call<TriedFolderRecord>(path, { method: "POST", body: { folder: typed, ...pin } })),
      );
    });
  return (
    <div class="setting">
      <div>
        <label for="backup-folder">{say("backupFolder")}</label>
        <code>backupFolder</code>
      </div>
      <div class="row">
        <input
          id="backup-folder"
          class="grow"
          value={typed}
          aria-describedby="backup-folder-about"
          onInput={({ currentTarget: { value } }) => setTyped(value)}
        />
        <button type="button" disabled={busy || typed.trim() === ""} onClick={attempt}>
          {say("tryFolder")}
        </button>
      </div>
      <p class="muted" id="backup-folder-about">
        {say(folder === null ? "backupFolderNone" : "backupFolderAbout")}
      </p>
      <div role="status">{tried && <Outcome tried={tried} inUse={folder} speech={speech} />}</div>
      <Problem text={problem} />
      {dialog}
    </div>
  );
}

const PROBLEMS = {
  missing: "folderMissing",
  "no-folder": "folderNoFolder",
  "not-writable": "folderNotWritable",
} as const;

interface OutcomeProps {
  readonly tried: TriedFolderRecord;
  readonly inUse: string | null;
  readonly speech: Speech;
}

function Outcome({ tried: { folder, problem, reason, sameDisk, file, line }, inUse, speech: { say } }: OutcomeProps) {
  if (problem !== null) return <p class="problem">{say(PROBLEMS[problem], { folder, reason })}</p>;
  return (
    <>
      <p>{say("folderGood", { folder })}</p>
      {sameDisk && <p>{say("folderSameDisk")}</p>}
      {folder !== inUse && (
        <>
          <p>{file === null ? say("folderWriteNowhere") : say("folderWrite", { file })}</p>
          <pre class="json">{line}</pre>
          <p class="muted">{say("folderUnit")}</p>
        </>
      )}
    </>
  );
}
