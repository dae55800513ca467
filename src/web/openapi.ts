// The description of the interface for programs (OpenAPI 3.1), made from the table of routes.
import { z } from 'zod';

import { problem, text } from '../contract/schema.ts';
import { PROBLEMS } from './problems.ts';
import { type Content, MEDIA_TYPES, type Route } from './call.ts';
import { ROUTES } from './routes.ts';

export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    if (route.who === 'people' || route.who === 'everybody') continue;
    const path = `/api/v1${route.path.replaceAll(/:(\w+)/g, '{$1}')}${route.ending ?? ''}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'paydrop', version, description: 'Amounts are decimal strings, times ISO 8601 in UTC.' },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key of `paydrop people key`.' },
      },
      schemas: { Problem: PROBLEM },
    },
  };
}

const PROBLEM = z.toJSONSchema(problem.extend({ code: text.meta({ examples: Object.keys(PROBLEMS) }) }));

function operation({ method, path, who, summary, query, body, replies = {} }: Route): object {
  const responses = Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => [status, response(reply)]),
  );
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary,
    'x-scope': who,
    security: [{ key: [] }],
    parameters: [...pathParameters(path), ...queryParameters(query), ...headerParameters(method, body)],
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: body === 'octets', content: content(body === 'octets' ? 'bytes' : body) },
        }),
    responses: {
      ...responses,
      default: {
        description: 'What was not done, and why',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function response(reply: Content): object {
  return { description: 'Done', content: content(reply) };
}

function content(of: Content): object {
  if (typeof of === 'string') return { [MEDIA_TYPES[of]]: {} };
  return { 'application/json': { schema: z.toJSONSchema(of, { io: 'input' }) } };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: Route['query']): readonly object[] {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function headerParameters(method: Route['method'], body: Route['body']): readonly object[] {
  const header = (name: string, required: boolean) => ({
    name,
    in: 'header',
    required,
    schema: { type: 'string' },
  });
  if (method === 'GET') return [];
  return [header('Idempotency-Key', false), ...(body === 'octets' ? [header('x-file-name', true)] : [])];
}
