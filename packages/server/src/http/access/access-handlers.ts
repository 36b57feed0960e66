import { CodeExchange, CodeRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { AppContext } from "../app-types.ts";
import { readBody } from "../read-body.ts";
import { jsonResponse } from "../responses.ts";
import { type OneTimeCodes, viewGrant } from "./one-time-codes.ts";

/** The size of a request without a token, in bytes. Anyone who reaches the port may send it. */
export const maxUnidentifiedBody = 1024;

export async function handleGrant(context: AppContext): Promise<Response> {
  return await jsonResponse(viewGrant(context.get("grant")));
}

export async function handleCreateCode(context: AppContext, codes: OneTimeCodes | undefined): Promise<Response> {
  const request = readBody(CodeRequest, await context.req.text());
  return await jsonResponse(requireCodes(codes).create(request, context.get("grant")));
}

export async function handleExchangeCode(context: AppContext, codes: OneTimeCodes | undefined): Promise<Response> {
  const { code } = readBody(CodeExchange, await context.req.text());
  return await jsonResponse(await requireCodes(codes).exchange(code));
}

function requireCodes(codes: OneTimeCodes | undefined): OneTimeCodes {
  if (codes !== undefined) return codes;
  throw new FairleadError("not-supported", "This service issues no one-time codes. Use a token.");
}
