import { hex } from "#app/lib/crypto/encoding.ts";
import { isoTime } from "#app/lib/time/dates.ts";

/**
 * Returns the XMP packet of a PDF (ISO 16684-1; ISO 32000-1, 14.3.2): the facts of its information dictionary. It
 * does not claim conformance to PDF/A or PDF/UA, because no checker has confirmed it.
 */
export function xmpPacket(input: {
  title: string;
  language: string;
  producer: string;
  createdAt: number;
  id: Uint8Array;
}): string {
  const created = isoTime(input.createdAt);
  const uuid = hex(input.id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(input.title)}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${escaped(input.language)}</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>${created}</xmp:CreateDate>
<xmp:ModifyDate>${created}</xmp:ModifyDate>
<xmp:MetadataDate>${created}</xmp:MetadataDate>
<pdf:Producer>${escaped(input.producer)}</pdf:Producer>
<xmpMM:DocumentID>uuid:${uuid}</xmpMM:DocumentID>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns the text of an XML element; characters that XML 1.0 forbids become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}
