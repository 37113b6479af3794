/**
 * Finds text in a component that a reader would see and that no language has.
 *
 * For the test that keeps every visible word in the tables. Looks at text
 * between tags, at the attributes and props that are shown or read out, and at
 * objects in scripts whose fields are (`{ label: 'Delete' }`). What is passed
 * to a function, compared or named after something is no text.
 */
import { parse } from 'svelte/compiler';

type Node = { type: string; [field: string]: unknown };

const shown =
  /^(title|alt|label|text|hint|placeholder|problem|why|description|summary|message|note|heading|caption|\w+Label|aria-(label|description|roledescription|valuetext|placeholder))$/;
const hasLetter = /\p{L}/u;

export function visibleText(source: string): string[] {
  const root = parse(source, { modern: true }) as unknown as {
    fragment: Node;
    instance: Node | null;
    module: Node | null;
  };
  const found: string[] = [];
  const take = (text: string) => {
    if (hasLetter.test(text)) found.push(text.trim());
  };
  markup(root.fragment, take);
  for (const script of [root.module, root.instance]) if (script) fields(script['content'], take);
  return found;
}

type Take = (text: string) => void;

function markup(node: unknown, take: Take): void {
  if (Array.isArray(node)) return node.forEach((each) => markup(each, take));
  if (!isNode(node)) return;
  switch (node.type) {
    case 'Text':
      return take(String(node['data']));
    case 'ExpressionTag':
      return strings(node['expression'], take);
    case 'Attribute':
      return attribute(node, take);
    case 'Comment':
    case 'HtmlTag':
    case 'RenderTag':
    case 'ConstTag':
    case 'StyleSheet':
      return;
    default:
      for (const field of [
        'attributes',
        'fragment',
        'nodes',
        'body',
        'consequent',
        'alternate',
        'pending',
        'then',
        'catch',
        'fallback',
      ])
        markup(node[field], take);
  }
}

function attribute(node: Node, take: Take): void {
  const value = node['value'];
  const parts = Array.isArray(value) ? value : [value];
  const isShown = shown.test(String(node['name']));
  for (const part of parts) {
    if (!isNode(part)) continue;
    if (part.type === 'Text') {
      if (isShown) take(String(part['data']));
    } else if (part.type === 'ExpressionTag') {
      if (isShown) strings(part['expression'], take);
      else fields(part['expression'], take);
    }
  }
}

/** The texts that an expression may come out as. */
function strings(node: unknown, take: Take): void {
  if (!isNode(node)) return;
  switch (node.type) {
    case 'Literal':
      if (typeof node['value'] === 'string') take(node['value']);
      return;
    case 'TemplateLiteral':
      for (const quasi of node['quasis'] as { value: { cooked: string } }[]) take(quasi.value.cooked);
      for (const part of node['expressions'] as unknown[]) strings(part, take);
      return;
    case 'ConditionalExpression':
      strings(node['consequent'], take);
      strings(node['alternate'], take);
      return;
    case 'LogicalExpression':
      strings(node['left'], take);
      strings(node['right'], take);
      return;
    case 'BinaryExpression':
      if (node['operator'] !== '+') return;
      strings(node['left'], take);
      strings(node['right'], take);
      return;
    default:
  }
}

/** Fields and defaults anywhere below that have the name of something shown. */
function fields(node: unknown, take: Take): void {
  if (Array.isArray(node)) return node.forEach((each) => fields(each, take));
  if (!isNode(node)) return;
  if (node.type === 'Property' && shown.test(nameOf(node['key']))) {
    const value = node['value'];
    strings(isNode(value) && value.type === 'AssignmentPattern' ? value['right'] : value, take);
  }
  // Types are words for the compiler, not for a reader.
  if (node.type.startsWith('TS')) return;
  for (const [field, below] of Object.entries(node)) if (field !== 'typeAnnotation') fields(below, take);
}

function nameOf(key: unknown): string {
  if (!isNode(key)) return '';
  return String(key['name'] ?? key['value'] ?? '');
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
