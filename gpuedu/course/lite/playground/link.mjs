// A kernel and its launch as the fragment of a link: a version, a checksum, and a packed text.
// The checksum is what tells a link that was cut off on its way.

const VERSION = "1";

const toText = (bytes) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function through(bytes, stream) {
  const body = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}

// FNV-1a in 24 bits: four letters.
function checksum(text) {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  sum = (sum >>> 24) ^ (sum & 0xffffff);
  return toText(Uint8Array.of(sum >>> 16, (sum >>> 8) & 255, sum & 255));
}

export async function toFragment(launch) {
  const bytes = new TextEncoder().encode(JSON.stringify(launch));
  const packed = toText(await through(bytes, new CompressionStream("deflate-raw")));
  return `${VERSION}${checksum(packed)}${packed}`;
}

// The launch in a fragment; throws an Error whose message is a sentence for the reader.
export async function fromFragment(fragment) {
  const [version, sum, packed] = [fragment.slice(0, 1), fragment.slice(1, 5), fragment.slice(5)];
  if (version !== VERSION && /^\d$/.test(version)) {
    throw new Error(
      "This link was made by a newer version of the playground than this one: open it there, or ask for the text of the kernel.",
    );
  }
  if (version !== VERSION || checksum(packed) !== sum) {
    throw new Error(
      "This link is damaged, most likely cut off on its way: ask for it again, whole. Nothing in the editor was changed.",
    );
  }
  const bytes = await through(toBytes(packed), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}
