"use strict";
// Elements by name, properties and what is in them.
const zerohopElement = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  const { data = {}, attributes = {}, ...rest } = properties;
  Object.assign(made, rest);
  Object.assign(made.dataset, data);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
};

// A sentence with its `words in backticks` as code, for messages that a terminal shows as they are.
const zerohopSentence = (text) => text.split("`").map((part, rank) => (rank % 2 ? zerohopElement("code", {}, part) : part));
// What is wrong, and what to do about it.
const zerohopRefusal = ({ error, hint }) => zerohopElement(
  "p",
  {},
  ...zerohopSentence(error.replace(/[^.?!]$/, "$&.")),
  ...(hint ? [" ", zerohopElement("strong", {}, ...zerohopSentence(`${hint[0].toUpperCase()}${hint.slice(1)}`.replace(/[^.?!]$/, "$&.")))] : []),
);
