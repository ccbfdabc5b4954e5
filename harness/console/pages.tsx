/** Pages that need the emulator, and pages that show more with the emulator. */
import type { ConsolePage } from "../../src/console/web/app.js";
import { AuditPage } from "../../src/console/web/audit.js";
import * as shop from "../../src/console/web/pages.js";
import { CardPage } from "./card-page.js";
import { controlUrl } from "./control.js";
import { RehearsalPage } from "./rehearsal-page.js";
import { emulatorTextIn, useEmulatorSpeech } from "./texts.js";
import { TrafficOfEmulator } from "./traffic-page.js";

const withControl: ConsolePage["isShown"] = (info) => info !== undefined && controlUrl(info) !== undefined;

function AuthorityLink({ address }: { readonly address: string }) {
  const { say } = useEmulatorSpeech();
  return (
    <>
      <p>
        <a href={address} target="_blank" rel="noreferrer">
          {say("openAuthority")}
        </a>
      </p>
      <p class="muted">{say("authorityWarning")}</p>
    </>
  );
}

/** The shop's page Audit, with a link to the emulated tax authority. */
export const AUDIT: ConsolePage = {
  ...shop.AUDIT,
  View: ({ info, opened, rest }) => (
    <AuditPage
      rest={rest}
      info={info}
      opened={opened}
      {...(info.card === "emulator" ? { belowAddress: (address) => <AuthorityLink address={address} /> } : {})}
    />
  ),
};

export const EMULATED_TRAFFIC: ConsolePage = {
  ...shop.TRAFFIC,
  isShown: withControl,
  View: ({ rest, info, times }) => <TrafficOfEmulator key={times} control={controlUrl(info) ?? ""} id={rest} />,
};

export const CARD: ConsolePage = {
  name: "card",
  title: ({ say }) => say("card"),
  isShown: withControl,
  View: ({ info }) => <CardPage control={controlUrl(info) ?? ""} />,
};

export const REHEARSAL: ConsolePage = {
  name: "rehearsal",
  title: ({ language }) => emulatorTextIn(language)("rehearsal"),
  isShown: withControl,
  View: ({ info }) => <RehearsalPage control={controlUrl(info) ?? ""} />,
};
