import { openImage } from "#app/domain/search/images.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";

/** Images may be used on pages of the origins that the operator allows; nothing else of Odin may. */
const IMAGE = { crossOrigin: true };

type ImageCall = Pick<
  Call<"GET /proxy-rekor-image", "signed-in", typeof none>,
  "app" | "actor" | "query" | "request"
>;
type Wanted = Omit<Parameters<typeof openImage>[2], "signal">;

/** A proxy of images; `wanted` reads from the query which image is asked for. */
const answerImage =
  (wanted: (query: URLSearchParams) => Wanted) =>
  async ({ app, actor, query, request }: ImageCall) =>
    fileAnswer(await openImage(app, actor, { ...wanted(query), signal: request.signal }));

const ofRekor = answerImage((query) => ({
  program: "Rekor",
  reference: query.get("image_uuid"),
  asBase64: query.get("as_base64") === "true",
}));
// A documented client has one `image_uuid` for a read: here it asks for the vehicle, above for the plate.
const ofRekorVehicle = answerImage((query) => ({
  program: "Rekor",
  reference: query.get("image_uuid"),
  kind: "vehicle",
}));
const ofAxon = answerImage((query) => ({ program: "Axon", reference: query.get("url") }));
const ofAxis = answerImage((query) => ({ program: "Axis", reference: query.get("path") }));

const { loader, action } = endpoints(
  endpoint("GET /rekor/cropped-plate", "signed-in", none, ofRekor, IMAGE),
  endpoint("GET /proxy-rekor-image", "signed-in", none, ofRekorVehicle, IMAGE),
  endpoint("GET /proxy-axon-image", "signed-in", none, ofAxon, IMAGE),
  endpoint("GET /proxy-axon-plate-image", "signed-in", none, ofAxon, IMAGE),
  endpoint("GET /proxy-axis-image", "signed-in", none, ofAxis, IMAGE),
);

export { action, loader };
