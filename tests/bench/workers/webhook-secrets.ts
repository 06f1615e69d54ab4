/** The secrets of the addresses that the bench's camera and webhook post to. */
export const WEBHOOK_SECRETS = { axis: "camera-of-the-bench", rekor: "webhook-of-the-bench" };
