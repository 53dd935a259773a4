mod crawl;
mod html;
mod url;
