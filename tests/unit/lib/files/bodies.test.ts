import { describe, expect, it } from "vitest";
import { readBytes } from "#app/lib/files/bodies.ts";

/** Returns a body that sends some bytes and then fails, as when the connection is lost. */
function brokenOff() {
  const parts = [new TextEncoder().encode('{"username":"offi')];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(part);
      else controller.error(new Error("Network connection lost."));
    },
  });
}

describe("a body that breaks off", () => {
  // Otherwise anyone could fill the error log of a service that answers 500 without a sign-in.
  it("is an expected failure in a request", async () => {
    const init = { method: "POST", body: brokenOff(), duplex: "half" } as RequestInit;
    await expect(readBytes(new Request("https://odin.example/login", init), 1024)).rejects.toMatchObject({
      name: "AppError",
      code: "unavailable",
      message: "The connection was lost before the whole body had arrived. Send it again.",
      retryAfter: 5,
    });
  });

  it("stays a network error in an answer, which its caller judges", async () => {
    const reading = readBytes(new Response(brokenOff()), 1024);
    await expect(reading).rejects.toMatchObject({ name: "Error", message: "Network connection lost." });
  });
});
