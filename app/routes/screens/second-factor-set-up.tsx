import type { MetaFunction } from "@remix-run/cloudflare";
import { Enrolment } from "#app/components/account/enrolment.tsx";
import { LonelySheet } from "#app/components/account/sheet.tsx";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Set up a second factor · Odin" }];

export const loader = screenLoader("signed-in", () => ({}), { during: ["must-enrol-second-factor"] });

export default function SecondFactorSetUpScreen() {
  return (
    <LonelySheet
      title="Set up a second factor"
      lead="Your agency asks for something beside the password. It takes a minute, and then you are in."
    >
      <Enrolment />
    </LonelySheet>
  );
}
