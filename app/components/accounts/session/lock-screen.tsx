import { useRevalidator } from "@remix-run/react";
import { useState } from "react";
import { type LockStep, SessionLock } from "./lock.tsx";

/** The session lock, shown instead of a screen that failed to load because the session ended. */
export default function SessionLockScreen() {
  const { revalidate } = useRevalidator();
  const [step, setStep] = useState<LockStep>("password");
  return <SessionLock step={step} onStep={setStep} onSignedIn={revalidate} />;
}
