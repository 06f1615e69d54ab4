import { useRevalidator } from "@remix-run/react";
import { useState } from "react";
import { type LockStep, SessionLock } from "./lock.tsx";

/** The lock in the place of a screen that could not be loaded because the session had ended on the way to it. */
export default function SessionLockScreen() {
  const { revalidate } = useRevalidator();
  const [step, setStep] = useState<LockStep>("password");
  return <SessionLock step={step} onStep={setStep} onSignedIn={revalidate} />;
}
